/* SPDX-License-Identifier: MIT */
/*
 * Walks a JSON document by this grammar:
 *
 *	document = white value white
 *	value    = object | array | string | number | "true" | "false" | "null"
 *	object   = "{" white [member ("," white member)*] "}"
 *	member   = string white ":" white value white
 *	array    = "[" white [value white ("," white value white)*] "]"
 *
 * The stack has one bit per open bracket. Bytes of strings from 0x80 on are not validated here
 * because output/escape.h handles them when they are printed.
 */
#include "json_walk.h"

#include "hex.h"
#include "json_escape.h"
#include "json_parts.h"

#include <assert.h>
#include <string.h>

static const char *const too_deep = "JSON is nested too deep";

static void expect_byte(struct reader *r, int byte, const char *what)
{
	if (json_peek_byte(r) == byte)
		reader_skip(r, 1);
	else
		json_fail(r, what);
}

static void read_escape(struct reader *r)
{
	int c = json_peek_byte(r);

	if (c <= 0 || !strchr("\"\\/bfnrtu", c)) {
		json_fail(r, "an escape that JSON does not define");
		return;
	}
	reader_skip(r, 1);
	for (unsigned i = 0; c == 'u' && i < 4; i++) {
		int digit = json_peek_byte(r);
		if (digit < 0 || hex_digit((uint8_t)digit) == HEX_NO_DIGIT) {
			json_fail(r, "an escape without four hexadecimal digits");
			return;
		}
		reader_skip(r, 1);
	}
}

static int skip_plain(struct reader *r)
{
	const struct cairn_bytes rest = { r->in.data + r->at, reader_left(r) };

	if (reader_ok(r))
		reader_skip(r, json_plain_run(rest));
	return json_peek_byte(r);
}

static struct cairn_bytes read_string(struct reader *r)
{
	expect_byte(r, '"', "a JSON string is expected");
	size_t start = r->at;
	int c = skip_plain(r);

	for (; c >= ' ' && c != '"'; c = skip_plain(r)) {
		reader_skip(r, 1);
		if (c == '\\')
			read_escape(r);
	}
	size_t end = r->at;
	expect_byte(r, '"', "a control character in a JSON string");
	return (struct cairn_bytes){ r->in.data + start, end - start };
}

static void read_digits(struct reader *r)
{
	int c = json_peek_byte(r);

	if (c < '0' || c > '9')
		json_fail(r, "a digit is expected");
	for (; c >= '0' && c <= '9'; c = json_peek_byte(r))
		reader_skip(r, 1);
}

static void read_number(struct reader *r)
{
	if (json_peek_byte(r) == '-')
		reader_skip(r, 1);
	if (json_peek_byte(r) == '0')
		reader_skip(r, 1);
	else
		read_digits(r);
	if (json_peek_byte(r) == '.') {
		reader_skip(r, 1);
		read_digits(r);
	}
	if (json_peek_byte(r) == 'e' || json_peek_byte(r) == 'E') {
		reader_skip(r, 1);
		if (json_peek_byte(r) == '+' || json_peek_byte(r) == '-')
			reader_skip(r, 1);
		read_digits(r);
	}
}

static void read_word(struct reader *r, const char *word)
{
	for (; *word && reader_ok(r); word++)
		expect_byte(r, *word, "a JSON value is expected");
}

static void read_scalar(struct reader *r, enum json_reader_kind kind)
{
	switch (kind) {
	case JSON_READER_STRING:
		read_string(r);
		break;
	case JSON_READER_TRUE:
		read_word(r, "true");
		break;
	case JSON_READER_FALSE:
		read_word(r, "false");
		break;
	case JSON_READER_NULL:
		read_word(r, "null");
		break;
	case JSON_READER_NUMBER:
		read_number(r);
		break;
	case JSON_READER_OBJECT:
	case JSON_READER_ARRAY:
		break;
	}
}

static_assert(JSON_READER_DEPTH_MAX <= 64, "a bit for each bracket that is open");

static bool is_in_object(const struct json_walk *walk)
{
	return walk->depth > 0 && (walk->objects >> (walk->depth - 1) & 1);
}

static struct cairn_bytes read_name(struct reader *r)
{
	const struct cairn_bytes name = read_string(r);

	json_skip_white(r);
	expect_byte(r, ':', "a colon is expected");
	json_skip_white(r);
	return name;
}

static void enter_json_container(struct json_walk *walk, enum json_reader_kind kind)
{
	const uint64_t bit = (uint64_t)(kind == JSON_READER_OBJECT);

	if (walk->depth == JSON_READER_DEPTH_MAX) {
		reader_fail_at(&walk->in, walk->in.at, CAIRN_UNSUPPORTED, too_deep);
		return;
	}
	walk->objects = (walk->objects & ~((uint64_t)1 << walk->depth)) | bit << walk->depth;
	walk->depth++;
	walk->follows = false;
	reader_skip(&walk->in, 1);
}

static void leave_json_container(struct json_walk *walk, struct json_step *step)
{
	const bool is_object = is_in_object(walk);

	step->kind = is_object ? JSON_READER_OBJECT : JSON_READER_ARRAY;
	step->ends = true;
	step->at = walk->in.at;
	expect_byte(&walk->in, is_object ? '}' : ']', "a comma or closing bracket is expected");
	walk->depth--;
	walk->follows = true;
}

/* Read the comma and member name before a value. Return false at the end of the object or array. */
static bool begin_item(struct json_walk *walk, struct json_step *step)
{
	struct reader *r = &walk->in;
	const int byte = json_peek_byte(r);

	if (walk->follows && byte == ',') {
		reader_skip(r, 1);
		json_skip_white(r);
	} else if (walk->follows || byte == (is_in_object(walk) ? '}' : ']')) {
		leave_json_container(walk, step);
		return false;
	}
	if (is_in_object(walk))
		step->name = read_name(r);
	return true;
}

static void begin_value(struct json_walk *walk, struct json_step *step)
{
	struct reader *r = &walk->in;

	step->kind = json_peek_kind(r);
	step->at = r->at;
	if (json_step_opens(step)) {
		enter_json_container(walk, step->kind);
		return;
	}
	read_scalar(r, step->kind);
	step->text = (struct cairn_bytes){ r->in.data + step->at, r->at - step->at };
	if (step->kind == JSON_READER_STRING && reader_ok(r))
		step->text = (struct cairn_bytes){ step->text.data + 1, step->text.size - 2 };
	walk->follows = true;
}

struct json_walk json_walk_open(struct cairn_bytes text)
{
	return (struct json_walk){ .in = reader_open(text, false) };
}

bool json_walk_next(struct json_walk *walk, struct json_step *step)
{
	struct reader *r = &walk->in;
	const struct cairn_bytes none = { r->in.data, 0 };

	*step = (struct json_step){ .name = none, .text = none };
	json_skip_white(r);
	if (walk->depth == 0 && walk->follows) {
		if (reader_ok(r) && reader_left(r) > 0)
			json_fail(r, "more text follows the JSON value");
		return false;
	}
	if (walk->depth == 0 || begin_item(walk, step))
		begin_value(walk, step);
	return reader_ok(r);
}

void json_walk_skip(struct json_walk *walk, const struct json_step *step)
{
	const unsigned depth = walk->depth;
	struct json_step inner;

	if (json_step_opens(step))
		while (walk->depth >= depth && json_walk_next(walk, &inner))
			;
}
