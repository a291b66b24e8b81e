/* SPDX-License-Identifier: MIT */
/* Reads addresses in build IDs. */
#include "parts.h"

#include "base/bytes_compare.h"
#include "base/hex.h"

enum { BUILD_ID, ADDRESS, KIND, MODULE, MEMBERS };

static const char *const member_names[MEMBERS] = { "build_id", "address", "kind", "module" };

static bool read_origin(const struct json_reader_value *value, enum request_origin *origin)
{
	static const struct {
		const char *word;
		enum request_origin origin;
	} words[] = {
		{ "va", REQUEST_VA },
		{ "file_offset", REQUEST_FILE_OFFSET },
		{ "module_offset", REQUEST_MODULE_OFFSET },
	};

	*origin = REQUEST_VA;
	if (!value->text.data)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (value->kind == JSON_READER_STRING && bytes_are(value->text, words[i].word)) {
			*origin = words[i].origin;
			return true;
		}
	return false;
}

static enum cairn_status add_offset(struct request *request, const struct json_reader_value *object,
                                    struct cairn_bytes text, struct cairn_fault *fault)
{
	struct json_reader_value value[MEMBERS];
	struct request_frame *frame = request_add_frame(request, fault);

	if (!frame)
		return fault->status;
	if (object->kind != JSON_READER_OBJECT)
		return request_refuse(fault, CAIRN_MALFORMED, object, text,
		                      "a frame that is not an object");
	json_reader_members(object, member_names, MEMBERS, value);
	if (!hex_read_address(json_reader_string(&value[ADDRESS]), &frame->address))
		return request_refuse(fault, CAIRN_MALFORMED, object, text,
		                      "a frame without an address of 0x and 1 to 16 digits");
	if (!read_origin(&value[KIND], &frame->origin))
		return request_refuse(
			fault, CAIRN_MALFORMED, &value[KIND], text,
			"a kind of address that is not va, file_offset or module_offset");
	frame->module = request_add_module(request, json_reader_string(&value[BUILD_ID]),
	                                   json_reader_string(&value[MODULE]));
	return frame->module == UINT32_MAX ? CAIRN_NO_MEMORY : CAIRN_OK;
}

enum cairn_status request_read_offsets(struct request *request,
                                       const struct json_reader_value *frames,
                                       struct cairn_bytes text, struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct json_reader_value object;

	if (frames->kind != JSON_READER_ARRAY)
		return request_refuse(fault, CAIRN_MALFORMED, frames, text,
		                      "\"frames\" is not an array");
	for (size_t at = 0; status == CAIRN_OK && json_reader_element(frames, &at, &object);)
		status = add_offset(request, &object, text, fault);
	return status;
}
