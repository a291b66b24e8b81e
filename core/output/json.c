/* SPDX-License-Identifier: MIT */
/* Writes JSON values one at a time and escapes their strings. */
#include "json.h"

#include "escape.h"

#include "base/invariant.h"

#include <inttypes.h>
#include <string.h>

struct json json_to(FILE *out)
{
	return (struct json){ .out = out };
}

static void write_code(FILE *out, uint32_t c)
{
	static const char digits[] = "0123456789abcdef";

	if (c > 0xffff) {
		fprintf(out, "\\u%04" PRIx32, c);
		return;
	}
	const char text[] = {
		'\\', 'u', digits[c >> 12], digits[c >> 8 & 15], digits[c >> 4 & 15], digits[c & 15]
	};
	fwrite(text, 1, sizeof(text), out);
}

static void write_character(FILE *out, uint32_t c, struct cairn_bytes bytes)
{
	if (c == '"' || c == '\\')
		fprintf(out, "\\%c", (int)c);
	else if (c == '\n')
		fputs("\\n", out);
	else if (c == '\t')
		fputs("\\t", out);
	else if (!escape_is_printable(c))
		write_code(out, c);
	else
		fwrite(bytes.data, 1, bytes.size, out);
}

/* How many bytes from the beginning need no escape. */
static size_t plain_run(struct cairn_bytes text)
{
	size_t run = 0;

	while (run < text.size && text.data[run] >= 0x20 && text.data[run] < 0x7f &&
	       text.data[run] != '\\' && text.data[run] != '"')
		run++;
	return run;
}

static void write_text(FILE *out, struct cairn_bytes text)
{
	fputc('"', out);
	while (text.size > 0) {
		uint32_t c = 0;
		size_t plain = plain_run(text), size = plain ? plain : escape_utf8(text, &c);
		if (plain)
			fwrite(text.data, 1, plain, out);
		else if (size == 0)
			fputs("\\ufffd", out);
		else
			write_character(out, c, (struct cairn_bytes){ text.data, size });
		text.data += size ? size : 1;
		text.size -= size ? size : 1;
	}
	fputc('"', out);
}

/* What is before any value: a comma, and in an object the key. */
static void begin_json_value(struct json *json, const char *key)
{
	INVARIANT((key != NULL) == (json->depth > 0 && !json->array[json->depth]));
	if (json->more)
		fputc(',', json->out);
	if (key)
		fprintf(json->out, "\"%s\":", key);
	json->more = true;
}

static void begin_json_container(struct json *json, const char *key, bool array)
{
	begin_json_value(json, key);
	INVARIANT(json->depth + 1 < JSON_DEPTH_MAX);
	json->array[++json->depth] = array;
	json->more = false;
	fputc(array ? '[' : '{', json->out);
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
	fputc(json->array[json->depth] ? ']' : '}', json->out);
	json->depth--;
	json->more = json->depth > 0;
	if (json->depth == 0)
		fputc('\n', json->out);
}

void json_text(struct json *json, const char *key, struct cairn_bytes text)
{
	begin_json_value(json, key);
	write_text(json->out, text);
}

void json_string(struct json *json, const char *key, const char *text)
{
	json_text(json, key, (struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

void json_number(struct json *json, const char *key, uint64_t number)
{
	begin_json_value(json, key);
	fprintf(json->out, "%" PRIu64, number);
}

void json_signed(struct json *json, const char *key, int64_t number)
{
	begin_json_value(json, key);
	fprintf(json->out, "%" PRId64, number);
}

void json_address(struct json *json, const char *key, uint64_t address)
{
	begin_json_value(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", address);
}

void json_hex(struct json *json, const char *key, struct cairn_bytes bytes)
{
	begin_json_value(json, key);
	fputc('"', json->out);
	for (size_t i = 0; i < bytes.size; i++)
		fprintf(json->out, "%02x", bytes.data[i]);
	fputc('"', json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_json_value(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	begin_json_value(json, key);
	fputs("null", json->out);
}
