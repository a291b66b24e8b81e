/* SPDX-License-Identifier: MIT */
/* Formats JSON into a buffer and flushes it after each record. */
#include "json.h"
#include "escape.h"

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

enum {
	LINES_CAPACITY = 1 << 16,
	/*
	 * The beginning of a record, up to its string, usually fits into this size, and is then
	 * copied by a memcpy() of constant size, which is faster.
	 */
	HEAD_BLOCK = 64,
	HEAD_MAX = 2 * JSON_LINE_HEAD + DIGITS_MAX,
	HEAD_CAPACITY = HEAD_MAX > HEAD_BLOCK ? HEAD_MAX : HEAD_BLOCK,
	PIECE = 1 << 10, /* maximum number of bytes escaped at a time; the result fits the buffer */
};

static const char tail[] = "\"}\n";

/*
 * The beginning of a record up to its string, with the line number already formatted. For the next
 * line, the decimal digits are incremented in place, which is cheaper than formatting every number
 * by division.
 */
struct head {
	const struct json_line *form;
	uint64_t number;
	/* offsets in `text` of the first digit and after the last digit, and size of the text */
	size_t first, after, size;
	char text[HEAD_CAPACITY];
};

struct output {
	FILE *out;
	char *at;
	char buffer[LINES_CAPACITY];
};

static void write_head(struct head *head)
{
	char number[DIGITS_MAX];
	const char *first = digits_before(number + DIGITS_MAX, head->number, 10);

	head->first = head->form->before_size;
	head->after = head->first + (size_t)(number + DIGITS_MAX - first);
	head->size = head->after + head->form->between_size;
	memcpy(head->text, head->form->before, head->first);
	memcpy(head->text + head->first, first, head->after - head->first);
	memcpy(head->text + head->after, head->form->between, head->form->between_size);
}

static void count_line(struct head *head)
{
	size_t digit = head->after - 1;

	head->number++;
	for (; head->text[digit] == '9'; digit--) {
		if (digit == head->first) {
			write_head(head);
			return;
		}
		head->text[digit] = '0';
	}
	head->text[digit]++;
}

static void pass_lines_on(struct output *o)
{
	fwrite(o->buffer, 1, (size_t)(o->at - o->buffer), o->out);
	o->at = o->buffer;
}

static void require_capacity(struct output *o, size_t size)
{
	if (size > (size_t)(o->buffer + LINES_CAPACITY - o->at))
		pass_lines_on(o);
}

static void put_bytes(struct output *o, const char *bytes, size_t size)
{
	memcpy(o->at, bytes, size);
	o->at += size;
}

/* Write a line that needs escapes or is longer than PIECE. */
static void put_escaped(struct output *o, struct cairn_bytes text)
{
	while (text.size > 0) {
		size_t plain = json_plain_run(text);
		if (plain > PIECE)
			plain = PIECE;
		require_capacity(o, PIECE + JSON_ESCAPE_MAX);
		put_bytes(o, (const char *)text.data, plain);
		text.data += plain;
		text.size -= plain;
		if (text.size > 0 && plain < PIECE)
			o->at = json_put_character(o->at, &text);
	}
}

static void put_head(struct output *o, const struct head *head)
{
	if (head->size <= HEAD_BLOCK)
		memcpy(o->at, head->text, HEAD_BLOCK);
	else
		memcpy(o->at, head->text, head->size);
	o->at += head->size;
}

static void put_line(struct output *o, const struct head *head, struct cairn_bytes line)
{
	require_capacity(o, HEAD_CAPACITY + PIECE);
	put_head(o, head);
	if (line.size <= PIECE && json_copy_plain(o->at, line.data, line.size))
		o->at += line.size;
	else
		put_escaped(o, line);
	require_capacity(o, sizeof(tail));
	put_bytes(o, tail, sizeof(tail) - 1);
}

uint64_t json_lines(FILE *out, const struct json_line *form, uint64_t first,
                    struct cairn_bytes lines)
{
	struct output o;
	const uint8_t *at = lines.data, *end = lines.data + lines.size, *stop;
	struct head head = { .form = form, .number = first };
	uint64_t count = 0;

	o.out = out;
	o.at = o.buffer;
	write_head(&head);
	for (; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop)
			break;
		if (stop > at)
			put_line(&o, &head, (struct cairn_bytes){ at, (size_t)(stop - at) });
		count_line(&head);
		count++;
	}
	pass_lines_on(&o);
	return count;
}
