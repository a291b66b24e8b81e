/* SPDX-License-Identifier: MIT */
/* Reads where the file of a core, a minidump or a log is, and how it is known. */
#include "parts.h"

#include "base/bytes_compare.h"
#include "base/hex.h"

enum { HASH, SIZE, PATH, URL, KIND, MEMBERS };

static const char *const member_names[MEMBERS] = { "hash", "size", "path", "url", "kind" };

/* What is wrong with a reference, and at which member. */
static enum cairn_status refuse_member(struct request *request,
                                       const struct json_reader_value *value,
                                       struct cairn_bytes text, struct cairn_fault *fault,
                                       const char *what)
{
	return request_refuse(fault, CAIRN_MALFORMED, value->text.data ? value : &request->top,
	                      text, what);
}

static bool read_kind_word(const struct json_reader_value *value, struct request_body *body)
{
	if (value->kind != JSON_READER_STRING)
		return false;
	if (bytes_are(value->text, "core"))
		body->kind = REQUEST_CORE;
	else if (bytes_are(value->text, "minidump"))
		body->kind = REQUEST_MINIDUMP;
	else if (bytes_are(value->text, "log"))
		body->kind = REQUEST_LOG;
	else
		return false;
	return true;
}

static bool read_place(const struct json_reader_value *value, struct request_body *body)
{
	const struct json_reader_value *place = &value[value[URL].text.data ? URL : PATH];

	body->is_url = value[URL].text.data != NULL;
	return (value[URL].text.data != NULL) != (value[PATH].text.data != NULL) &&
	       place->kind == JSON_READER_STRING && place->text.size > 0 &&
	       place->text.size < sizeof(body->place) &&
	       json_reader_text(place, body->place, sizeof(body->place));
}

enum cairn_status request_read_reference(struct request *request, struct cairn_bytes text,
                                         struct cairn_fault *fault)
{
	struct request_body *body = &request->body;
	struct json_reader_value value[MEMBERS];

	json_reader_members(&request->top, member_names, MEMBERS, value);
	if (value[HASH].kind != JSON_READER_STRING ||
	    !hex_read(value[HASH].text, body->hash, sizeof(body->hash)))
		return refuse_member(request, &value[HASH], text, fault,
		                     "the hash of a reference is not 64 hexadecimal digits");
	if (!json_reader_whole(&value[SIZE], &body->size))
		return refuse_member(request, &value[SIZE], text, fault,
		                     "the size of a reference is not a whole number");
	if (!read_kind_word(&value[KIND], body))
		return refuse_member(request, &value[KIND], text, fault,
		                     "the kind of a reference is not core, minidump or log");
	if (!read_place(value, body))
		return refuse_member(request, &value[PATH], text, fault,
		                     "a reference has one path or one url, of up to 4,095 bytes");
	if (body->size > REQUEST_BODY_MAX)
		return request_refuse(fault, CAIRN_UNSUPPORTED, &value[SIZE], text,
		                      "a reference to more than 1 GiB");
	return CAIRN_OK;
}
