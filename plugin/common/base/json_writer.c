/* SPDX-License-Identifier: MIT */
/* Writes JSON values one at a time and escapes their strings. */
#include "json_writer.h"

#include <inttypes.h>
#include <string.h>

struct json_writer json_writer_to(struct text *text)
{
	return (struct json_writer){ .text = text };
}

static void begin_value(struct json_writer *json, const char *key)
{
	text_add(json->text, json->more ? "," : "");
	if (key)
		text_print(json->text, "\"%s\":", key);
	json->more = true;
}

void json_begin_object(struct json_writer *json, const char *key)
{
	begin_value(json, key);
	text_add(json->text, "{");
	json->more = false;
}

void json_end_object(struct json_writer *json)
{
	text_add(json->text, "}");
	json->more = true;
}

void json_begin_array(struct json_writer *json, const char *key)
{
	begin_value(json, key);
	text_add(json->text, "[");
	json->more = false;
}

void json_end_array(struct json_writer *json)
{
	text_add(json->text, "]");
	json->more = true;
}

static void append_escaped(struct text *text, struct cairn_bytes bytes)
{
	for (size_t at = 0; at < bytes.size;) {
		const char *p = (const char *)bytes.data + at;
		struct text_piece piece = text_next_piece(p, bytes.size - at);
		if (!piece.is_character)
			text_add(text, "\xef\xbf\xbd");
		else if (*p == '"' || *p == '\\')
			text_print(text, "\\%c", *p);
		else if (piece.is_shown)
			text_bytes(text, p, piece.size);
		else
			text_print(text, "\\u%04x", (unsigned)piece.character);
		at += piece.size;
	}
}

void json_add_bytes(struct json_writer *json, const char *key, struct cairn_bytes bytes)
{
	begin_value(json, key);
	text_add(json->text, "\"");
	append_escaped(json->text, bytes);
	text_add(json->text, "\"");
}

void json_add_string(struct json_writer *json, const char *key, const char *string)
{
	json_add_bytes(json, key, (struct cairn_bytes){ (const uint8_t *)string, strlen(string) });
}

void json_add_number(struct json_writer *json, const char *key, uint64_t number)
{
	begin_value(json, key);
	text_print(json->text, "%" PRIu64, number);
}

void json_add_address(struct json_writer *json, const char *key, uint64_t address)
{
	begin_value(json, key);
	text_print(json->text, "\"0x%" PRIx64 "\"", address);
}

void json_add_hex(struct json_writer *json, const char *key, struct cairn_bytes bytes)
{
	begin_value(json, key);
	text_add(json->text, "\"");
	text_add_hex(json->text, bytes);
	text_add(json->text, "\"");
}

void json_add_bool(struct json_writer *json, const char *key, bool value)
{
	begin_value(json, key);
	text_add(json->text, value ? "true" : "false");
}

void json_add_null(struct json_writer *json, const char *key)
{
	begin_value(json, key);
	text_add(json->text, "null");
}

void json_add_fault(struct json_writer *json, const char *key, const struct cairn_fault *fault)
{
	if (fault->status == CAIRN_OK)
		return;
	json_begin_object(json, key);
	json_add_string(json, "what", fault->what);
	json_add_number(json, "offset", fault->offset);
	json_end_object(json);
}
