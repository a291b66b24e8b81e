/* SPDX-License-Identifier: MIT */
/* Streaming JSON writer. */
#include "json.h"

#include "digits.h"

#include "base/invariant.h"
#include "base/json_escape.h"

#include <string.h>

struct json json_to(FILE *out)
{
	return (struct json){ .out = out };
}

static const char digits[] = "0123456789abcdef";

static void pass_on(struct json *json)
{
	fwrite(json->buffer, 1, json->used, json->out);
	json->used = 0;
}

static void append_bytes(struct json *json, const void *bytes, size_t size)
{
	if (size > sizeof(json->buffer) - json->used)
		pass_on(json);
	if (size > sizeof(json->buffer)) {
		fwrite(bytes, 1, size, json->out);
		return;
	}
	memcpy(json->buffer + json->used, bytes, size);
	json->used += size;
}

static void append_character(struct json *json, char c)
{
	if (json->used == sizeof(json->buffer))
		pass_on(json);
	json->buffer[json->used++] = c;
}

static void append_string(struct json *json, const char *text)
{
	append_bytes(json, text, strlen(text));
}

static void append_number(struct json *json, uint64_t number, unsigned base)
{
	char text[DIGITS_MAX], *end = text + sizeof(text);
	const char *first = digits_before(end, number, base);

	append_bytes(json, first, (size_t)(end - first));
}

static void append_text(struct json *json, struct cairn_bytes text)
{
	append_character(json, '"');
	while (text.size > 0) {
		char escaped[JSON_ESCAPE_MAX];
		size_t plain = json_plain_run(text);
		append_bytes(json, text.data, plain);
		text.data += plain;
		text.size -= plain;
		if (text.size > 0)
			append_bytes(json, escaped,
			             (size_t)(json_put_character(escaped, &text) - escaped));
	}
	append_character(json, '"');
}

/* Write what must precede a value: the comma after the previous one, and the key in an object. */
static void begin_json_value(struct json *json, const char *key)
{
	INVARIANT((key != NULL) == (json->depth > 0 && !json->array[json->depth]));
	if (json->more)
		append_character(json, ',');
	if (key) {
		append_character(json, '"');
		append_string(json, key);
		append_bytes(json, "\":", 2);
	}
	json->more = true;
}

static void begin_json_container(struct json *json, const char *key, bool array)
{
	begin_json_value(json, key);
	INVARIANT(json->depth + 1 < JSON_DEPTH_MAX);
	json->array[++json->depth] = array;
	json->more = false;
	append_character(json, array ? '[' : '{');
}

void json_object(struct json *json, const char *key)
{
	begin_json_container(json, key, false);
}

void json_array(struct json *json, const char *key)
{
	begin_json_container(json, key, true);
}

void json_end(struct json *json)
{
	INVARIANT(json->depth > 0);
	append_character(json, json->array[json->depth] ? ']' : '}');
	json->depth--;
	json->more = json->depth > 0;
	if (json->depth > 0)
		return;
	append_character(json, '\n');
	pass_on(json);
}

void json_text(struct json *json, const char *key, struct cairn_bytes text)
{
	begin_json_value(json, key);
	append_text(json, text);
}

void json_string(struct json *json, const char *key, const char *text)
{
	json_text(json, key, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

void json_number(struct json *json, const char *key, uint64_t number)
{
	begin_json_value(json, key);
	append_number(json, number, 10);
}

void json_signed(struct json *json, const char *key, int64_t number)
{
	begin_json_value(json, key);
	if (number < 0)
		append_character(json, '-');
	append_number(json, number < 0 ? -(uint64_t)number : (uint64_t)number, 10);
}

void json_address(struct json *json, const char *key, uint64_t address)
{
	begin_json_value(json, key);
	append_string(json, "\"0x");
	append_number(json, address, 16);
	append_character(json, '"');
}

void json_hex(struct json *json, const char *key, struct cairn_bytes bytes)
{
	begin_json_value(json, key);
	append_character(json, '"');
	for (size_t i = 0; i < bytes.size; i++) {
		append_character(json, digits[bytes.data[i] >> 4]);
		append_character(json, digits[bytes.data[i] & 15]);
	}
	append_character(json, '"');
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_json_value(json, key);
	append_string(json, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin_json_value(json, key);
	append_string(json, "null");
}

void json_raw(struct json *json, const char *key, struct cairn_bytes value)
{
	begin_json_value(json, key);
	append_bytes(json, value.data, value.size);
}
