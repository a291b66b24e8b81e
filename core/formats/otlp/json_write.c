/* SPDX-License-Identifier: MIT */
/*
 * Writes a Protocol Buffers message as JSON. In the message, fields come in any order and may be
 * repeated, but in an object a member may occur only once. So each message is scanned once for each
 * member that its type has. Nesting is limited to the depth that the JSON reader accepts.
 */
#include "json.h"

#include "base/encoding.h"
#include "base/json_escape.h"
#include "base/json_reader.h"
#include "base/wire.h"
#include "json_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_MAX = 32 }; /* maximum length of a number, including quotation marks */

struct writing {
	struct otlp_json_output *out;
	const uint8_t *start;
	struct cairn_fault fault;
	unsigned depth;
};

static void put_plain(struct writing *w, const char *text)
{
	w->out->put(w->out->context, text, strlen(text));
}

static void fail_writing(struct writing *w, enum cairn_status status, const uint8_t *at,
                         const char *what)
{
	if (w->fault.status == CAIRN_OK)
		w->fault = (struct cairn_fault){ status, (uint64_t)(at - w->start), what };
}

static void put_quoted(struct writing *w, struct cairn_bytes text)
{
	char character[JSON_ESCAPE_MAX];

	while (text.size > 0) {
		const size_t plain = json_plain_run(text);
		w->out->put(w->out->context, text.data, plain);
		text.data += plain;
		text.size -= plain;
		if (text.size > 0)
			w->out->put(w->out->context, character,
			            (size_t)(json_put_character(character, &text) - character));
	}
}

static void put_as_hex(struct writing *w, struct cairn_bytes id)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < id.size; i++) {
		const char pair[] = { digits[id.data[i] >> 4], digits[id.data[i] & 15] };
		w->out->put(w->out->context, pair, sizeof(pair));
	}
}

static void put_as_base64(struct writing *w, struct cairn_bytes bytes)
{
	char group[4];

	for (size_t at = 0; at < bytes.size; at += 3) {
		const size_t left = bytes.size - at;
		base64_encode_group((struct cairn_bytes){ bytes.data + at, left < 3 ? left : 3 },
		                    group);
		w->out->put(w->out->context, group, sizeof(group));
	}
}

static void put_string(struct writing *w, enum otlp_json_kind kind, struct cairn_bytes bytes)
{
	put_plain(w, "\"");
	if (kind == OTLP_JSON_HEX)
		put_as_hex(w, bytes);
	else if (kind == OTLP_JSON_BASE64)
		put_as_base64(w, bytes);
	else
		put_quoted(w, bytes);
	put_plain(w, "\"");
}

/* Write a double. JSON cannot express infinities and NaN as numbers, so write these as strings. */
static void put_double(struct writing *w, uint64_t bits)
{
	char text[NUMBER_MAX];
	double number;

	memcpy(&number, &bits, sizeof(number));
	if (isnan(number) || isinf(number)) {
		put_plain(w, isnan(number) ? "\"NaN\""
		             : number > 0  ? "\"Infinity\""
		                           : "\"-Infinity\"");
		return;
	}
	(void)snprintf(text, sizeof(text), "%.17g", number);
	put_plain(w, text);
}

/*
 * Write a scalar. 64-bit integers are strings, because JavaScript readers are limited to 53 bits.
 */
static void put_scalar(struct writing *w, enum otlp_json_kind kind, uint64_t value)
{
	char text[NUMBER_MAX] = "";

	switch (kind) {
	case OTLP_JSON_INT32:
	case OTLP_JSON_TEMPORALITY:
		(void)snprintf(text, sizeof(text), "%" PRId32,
		               (int32_t)(uint32_t)(value & UINT32_MAX));
		break;
	case OTLP_JSON_UINT32:
		(void)snprintf(text, sizeof(text), "%" PRIu32, (uint32_t)(value & UINT32_MAX));
		break;
	case OTLP_JSON_INT64:
		(void)snprintf(text, sizeof(text), "\"%" PRId64 "\"", (int64_t)value);
		break;
	case OTLP_JSON_UINT64:
	case OTLP_JSON_FIXED64:
		(void)snprintf(text, sizeof(text), "\"%" PRIu64 "\"", value);
		break;
	case OTLP_JSON_FLAG:
		(void)snprintf(text, sizeof(text), value ? "true" : "false");
		break;
	case OTLP_JSON_DOUBLE:
		put_double(w, value);
		break;
	case OTLP_JSON_TEXT:
	case OTLP_JSON_HEX:
	case OTLP_JSON_BASE64:
	case OTLP_JSON_MESSAGE:
		break;
	}
	put_plain(w, text);
}

static enum wire_type find_wire_type(enum otlp_json_kind kind)
{
	if (kind >= OTLP_JSON_TEXT)
		return WIRE_BYTES;
	return kind == OTLP_JSON_FIXED64 || kind == OTLP_JSON_DOUBLE ? WIRE_64 : WIRE_VARINT;
}

static bool is_packed(const struct otlp_json_field *member, const struct wire_field *field)
{
	return member->is_list && member->kind < OTLP_JSON_TEXT && field->type == WIRE_BYTES;
}

static bool is_written(const struct otlp_json_field *member, const struct wire_field *field)
{
	return field->number == member->number &&
	       (is_packed(member, field) ||
	        field->type == find_wire_type((enum otlp_json_kind)member->kind));
}

static bool next_packed(enum wire_type type, const uint8_t **at, const uint8_t *end,
                        uint64_t *value)
{
	if (type == WIRE_VARINT)
		return wire_varint(at, end, value);
	if (end - *at < 8)
		return false;
	*value = 0;
	for (unsigned i = 0; i < 8; i++)
		*value |= (uint64_t)(*at)[i] << 8 * i;
	*at += 8;
	return true;
}

/*
 * Write the elements of a packed list to an array that already has `count` elements. Return the new
 * number of elements.
 */
static uint64_t put_packed(struct writing *w, const struct otlp_json_field *member,
                           struct cairn_bytes packed, uint64_t count)
{
	const uint8_t *at = packed.data, *end = at + packed.size;
	const enum otlp_json_kind kind = (enum otlp_json_kind)member->kind;
	uint64_t value;

	while (at < end) {
		if (!next_packed(find_wire_type(kind), &at, end, &value)) {
			fail_writing(w, CAIRN_MALFORMED, at, "a list of numbers is damaged");
			break;
		}
		put_plain(w, count++ > 0 ? "," : "");
		put_scalar(w, kind, value);
	}
	return count;
}

static void put_message(struct writing *w, enum otlp_json_message message, struct cairn_bytes body);

static void put_element(struct writing *w, const struct otlp_json_field *member,
                        const struct wire_field *field)
{
	const enum otlp_json_kind kind = (enum otlp_json_kind)member->kind;

	if (kind == OTLP_JSON_MESSAGE)
		put_message(w, (enum otlp_json_message)member->message, field->bytes);
	else if (kind >= OTLP_JSON_TEXT)
		put_string(w, kind, field->bytes);
	else
		put_scalar(w, kind, field->value);
}

static void put_list(struct writing *w, const struct otlp_json_field *member,
                     struct cairn_bytes body)
{
	struct wire_field field;
	uint64_t count = 0;

	put_plain(w, "[");
	w->depth++;
	while (w->fault.status == CAIRN_OK && wire_next(&body, &field)) {
		if (!is_written(member, &field))
			continue;
		if (is_packed(member, &field)) {
			count = put_packed(w, member, field.bytes, count);
			continue;
		}
		put_plain(w, count++ > 0 ? "," : "");
		put_element(w, member, &field);
	}
	w->depth--;
	put_plain(w, "]");
}

/*
 * Find the last field for a member. If a field is repeated, the last one wins, as in Protocol
 * Buffers. However, a repeated message that is not in a list is rejected, because its occurrences
 * would have to be merged.
 */
static bool find_last(struct writing *w, const struct otlp_json_field *member,
                      struct cairn_bytes body, struct wire_field *found)
{
	struct wire_field field;
	bool has = false;

	while (wire_next(&body, &field))
		if (is_written(member, &field)) {
			if (has && member->kind == OTLP_JSON_MESSAGE && !member->is_list)
				fail_writing(w, CAIRN_UNSUPPORTED, field.whole.data,
				             "a field that holds a single message occurs twice");
			*found = field;
			has = true;
		}
	return has;
}

/*
 * Return the number of the last field in a value, which determines the value's kind, or 0 if the
 * value is empty.
 */
static uint32_t find_kind_of_value(const struct otlp_json_field *members, struct cairn_bytes body)
{
	struct wire_field field;
	uint32_t last = 0;

	while (wire_next(&body, &field))
		for (const struct otlp_json_field *m = members; m->name; m++)
			if (is_written(m, &field))
				last = field.number;
	return last;
}

/* Return true if the member is an older name for the field of the previous member. */
static bool is_old_name(const struct otlp_json_field *first, const struct otlp_json_field *member)
{
	return member > first && member[-1].number == member->number;
}

/*
 * Return true if a field can be omitted because it has the default value, zero or an empty string.
 * List elements and the contents of values are never omitted.
 */
static bool says_nothing(enum otlp_json_message message, const struct otlp_json_field *member,
                         const struct wire_field *field)
{
	if (member->is_list || message == OTLP_JSON_VALUE || member->kind == OTLP_JSON_MESSAGE)
		return false;
	return member->kind < OTLP_JSON_TEXT ? field->value == 0 : field->bytes.size == 0;
}

static uint64_t count_written(const struct otlp_json_field *members, struct cairn_bytes body,
                              uint64_t *all)
{
	struct wire_field field;
	uint64_t written = 0;

	for (*all = 0; wire_next(&body, &field); ++*all) {
		const struct otlp_json_field *member = members;
		while (member->name && !is_written(member, &field))
			member++;
		written += member->name != NULL;
	}
	return written;
}

static void put_members(struct writing *w, enum otlp_json_message message, struct cairn_bytes body)
{
	const struct otlp_json_field *members = otlp_json_fields(message);
	const uint32_t only = message == OTLP_JSON_VALUE ? find_kind_of_value(members, body) : 0;
	bool is_first = true;

	for (const struct otlp_json_field *m = members; m->name && w->fault.status == CAIRN_OK;
	     m++) {
		struct wire_field field;
		if (is_old_name(members, m) || (only > 0 && m->number != only) ||
		    !find_last(w, m, body, &field) || says_nothing(message, m, &field))
			continue;
		put_plain(w, is_first ? "\"" : ",\"");
		put_plain(w, m->name);
		put_plain(w, "\":");
		is_first = false;
		if (m->is_list)
			put_list(w, m, body);
		else
			put_element(w, m, &field);
	}
}

static void put_message(struct writing *w, enum otlp_json_message message, struct cairn_bytes body)
{
	struct cairn_bytes rest = body;
	struct wire_field field;
	uint64_t all;

	if (w->depth + 1 >= JSON_READER_DEPTH_MAX) {
		fail_writing(w, CAIRN_UNSUPPORTED, body.data, "messages are nested too deeply");
		return;
	}
	while (wire_next(&rest, &field))
		;
	if (rest.size > 0) {
		fail_writing(w, CAIRN_MALFORMED, rest.data, "a field is damaged");
		return;
	}
	const uint64_t written = count_written(otlp_json_fields(message), body, &all);
	w->out->unknown += all - written;
	put_plain(w, "{");
	w->depth++;
	put_members(w, message, body);
	w->depth--;
	put_plain(w, "}");
}

enum cairn_status otlp_json_write(struct cairn_bytes message, struct otlp_json_output *out,
                                  struct cairn_fault *fault)
{
	struct writing w = { .out = out, .start = message.data };

	out->unknown = 0;
	put_message(&w, OTLP_JSON_DATA, message);
	if (w.fault.status != CAIRN_OK)
		*fault = w.fault;
	return w.fault.status;
}
