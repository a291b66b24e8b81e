/* SPDX-License-Identifier: MIT */
/*
 *	document = white value white
 *	value    = object | array | string | number | "true" | "false" | "null"
 *	object   = "{" white [member ("," white member)*] "}"
 *	member   = string white ":" white value white
 *	array    = "[" white [value white ("," white value white)*] "]"
 *
 * A text is walked with a stack of one bit for each bracket that is open.  Bytes of strings from
 * 0x80 on are taken as they come; they are shown through output/escape.h anyway.
 */
#include "json_reader.h"

#include "bytes_compare.h"
#include "hex.h"
#include "json_escape.h"

#include <assert.h>
#include <string.h>

static const char *const too_deep = "JSON is nested too deep";

static int peek_byte(const struct reader *r)
{
	return reader_ok(r) && reader_left(r) > 0 ? r->in.data[r->at] : -1;
}

static void fail_json(struct reader *r, const char *what)
{
	bool end = reader_left(r) == 0;

	reader_fail_at(r, r->at, end ? CAIRN_TRUNCATED : CAIRN_MALFORMED,
	               end ? "the text ends inside a JSON value" : what);
}

static void skip_white(struct reader *r)
{
	int c = peek_byte(r);

	while (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
		reader_skip(r, 1);
		c = peek_byte(r);
	}
}

/* Passes over one byte that must be here. */
static void expect_byte(struct reader *r, int byte, const char *what)
{
	if (peek_byte(r) == byte)
		reader_skip(r, 1);
	else
		fail_json(r, what);
}

static void read_escape(struct reader *r)
{
	int c = peek_byte(r);

	if (c <= 0 || !strchr("\"\\/bfnrtu", c)) {
		fail_json(r, "an escape that JSON does not define");
		return;
	}
	reader_skip(r, 1);
	for (unsigned i = 0; c == 'u' && i < 4; i++) {
		int digit = peek_byte(r);
		if (digit < 0 || hex_digit((uint8_t)digit) == HEX_NO_DIGIT) {
			fail_json(r, "an escape without four hexadecimal digits");
			return;
		}
		reader_skip(r, 1);
	}
}

/* The first byte from here on that is not plain text. */
static int skip_plain(struct reader *r)
{
	const struct cairn_bytes rest = { r->in.data + r->at, reader_left(r) };

	if (reader_ok(r))
		reader_skip(r, json_plain_run(rest));
	return peek_byte(r);
}

/* What is between the quotes. */
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
	int c = peek_byte(r);

	if (c < '0' || c > '9')
		fail_json(r, "a digit is expected");
	for (; c >= '0' && c <= '9'; c = peek_byte(r))
		reader_skip(r, 1);
}

static void read_number(struct reader *r)
{
	if (peek_byte(r) == '-')
		reader_skip(r, 1);
	if (peek_byte(r) == '0')
		reader_skip(r, 1);
	else
		read_digits(r);
	if (peek_byte(r) == '.') {
		reader_skip(r, 1);
		read_digits(r);
	}
	if (peek_byte(r) == 'e' || peek_byte(r) == 'E') {
		reader_skip(r, 1);
		if (peek_byte(r) == '+' || peek_byte(r) == '-')
			reader_skip(r, 1);
		read_digits(r);
	}
}

static void read_word(struct reader *r, const char *word)
{
	for (; *word && reader_ok(r); word++)
		expect_byte(r, *word, "a JSON value is expected");
}

/* The kind of the value that begins here, by its first byte. */
static enum json_reader_kind peek_value_kind(const struct reader *r)
{
	switch (peek_byte(r)) {
	case '{':
		return JSON_READER_OBJECT;
	case '[':
		return JSON_READER_ARRAY;
	case '"':
		return JSON_READER_STRING;
	case 't':
		return JSON_READER_TRUE;
	case 'f':
		return JSON_READER_FALSE;
	case 'n':
		return JSON_READER_NULL;
	default:
		return JSON_READER_NUMBER;
	}
}

/* A value without brackets. */
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

	skip_white(r);
	expect_byte(r, ':', "a colon is expected");
	skip_white(r);
	return name;
}

/* A bracket that opens. */
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

/* The bracket that closes what is open. */
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

/* What is before a value in an object or array; false: it ends here. */
static bool begin_item(struct json_walk *walk, struct json_step *step)
{
	struct reader *r = &walk->in;
	const int byte = peek_byte(r);

	if (walk->follows && byte == ',') {
		reader_skip(r, 1);
		skip_white(r);
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

	step->kind = peek_value_kind(r);
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
	skip_white(r);
	if (walk->depth == 0 && walk->follows) {
		if (reader_ok(r) && reader_left(r) > 0)
			fail_json(r, "more text follows the JSON value");
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

/* The members that somebody wants of one object. */
struct wanted_members {
	const char *const *name;
	size_t count;
	struct json_reader_value *value;
	/* the array or object that is open in it */
	struct cairn_bytes open_name;
	size_t open_at;
};

static void take_member(const struct wanted_members *wanted, struct cairn_bytes name,
                        const struct json_reader_value *value)
{
	if (name.size == 0)
		return;
	for (size_t i = 0; i < wanted->count; i++)
		if ((uint8_t)wanted->name[i][0] == name.data[0] && bytes_are(name, wanted->name[i]))
			wanted->value[i] = *value;
}

/* A step of a walk that began with the object. */
static void note_member(struct wanted_members *wanted, const struct json_walk *walk,
                        const struct json_step *step)
{
	struct json_reader_value value = { step->kind, step->text };

	if (walk->depth == 2 && json_step_opens(step)) {
		wanted->open_name = step->name;
		wanted->open_at = step->at;
	} else if (walk->depth == 1 && step->ends) {
		value.text = (struct cairn_bytes){ walk->in.in.data + wanted->open_at,
			                           walk->in.at - wanted->open_at };
		take_member(wanted, wanted->open_name, &value);
	} else if (walk->depth == 1 && !json_step_opens(step)) {
		take_member(wanted, step->name, &value);
	}
}

/* The value that begins here. If it is an object, its members are noted. */
static struct json_reader_value read_value(struct reader *r, struct wanted_members *wanted)
{
	struct json_reader_value value = { peek_value_kind(r), { r->in.data + r->at, 0 } };
	struct json_walk walk = { .in = *r };
	struct json_step step;
	const bool has_members = wanted && value.kind == JSON_READER_OBJECT;
	const size_t start = r->at;

	for (size_t i = 0; wanted && i < wanted->count; i++)
		wanted->value[i] = (struct json_reader_value){ JSON_READER_NULL, { NULL, 0 } };
	while (json_walk_next(&walk, &step) && walk.depth > 0)
		if (has_members)
			note_member(wanted, &walk, &step);
	*r = walk.in;
	value.text.size = r->at - start;
	if (value.kind == JSON_READER_STRING && reader_ok(r))
		value.text = (struct cairn_bytes){ value.text.data + 1, value.text.size - 2 };
	return value;
}

static enum cairn_status open_document(struct cairn_bytes text, struct json_reader_value *value,
                                       struct wanted_members *wanted, struct cairn_fault *fault)
{
	struct reader r = reader_open(text, false);

	skip_white(&r);
	struct json_reader_value top = read_value(&r, wanted);
	skip_white(&r);
	if (reader_ok(&r) && reader_left(&r) > 0)
		fail_json(&r, "more text follows the JSON value");
	if (reader_ok(&r))
		*value = top;
	else
		*fault = r.fault;
	return r.fault.status;
}

enum cairn_status json_reader_open(struct cairn_bytes text, struct json_reader_value *value,
                                   struct cairn_fault *fault)
{
	return open_document(text, value, NULL, fault);
}

enum cairn_status json_reader_open_members(struct cairn_bytes text, const char *const *name,
                                           size_t count, struct json_reader_value *value,
                                           struct cairn_fault *fault)
{
	struct wanted_members wanted = { .name = name, .count = count, .value = value };
	struct json_reader_value top;

	return open_document(text, &top, &wanted, fault);
}

void json_reader_members(const struct json_reader_value *object, const char *const *name,
                         size_t count, struct json_reader_value *value)
{
	struct wanted_members wanted = { .name = name, .count = count, .value = value };
	struct reader r = reader_open(object->text, false);

	for (size_t i = 0; i < count; i++)
		value[i] = (struct json_reader_value){ JSON_READER_NULL, { NULL, 0 } };
	if (object->kind == JSON_READER_OBJECT)
		(void)read_value(&r, &wanted);
}

bool json_reader_member(const struct json_reader_value *object, const char *name,
                        struct json_reader_value *value)
{
	struct json_reader_value found;

	json_reader_members(object, &name, 1, &found);
	if (!found.text.data)
		return false;
	*value = found;
	return true;
}

static bool read_element(const struct json_reader_value *array, size_t *at,
                         struct json_reader_value *value, struct wanted_members *wanted)
{
	struct reader r = reader_open(array->text, false);

	if (array->kind != JSON_READER_ARRAY)
		return false;
	reader_skip(&r, *at ? *at : 1);
	skip_white(&r);
	if (peek_byte(&r) == ',')
		reader_skip(&r, 1);
	skip_white(&r);
	if (peek_byte(&r) < 0 || peek_byte(&r) == ']')
		return false;
	*value = read_value(&r, wanted);
	*at = r.at;
	return reader_ok(&r);
}

bool json_reader_element(const struct json_reader_value *array, size_t *at,
                         struct json_reader_value *value)
{
	return read_element(array, at, value, NULL);
}

bool json_reader_element_members(const struct json_reader_value *array, size_t *at,
                                 const char *const *name, size_t count,
                                 struct json_reader_value *value)
{
	struct wanted_members wanted = { .name = name, .count = count, .value = value };
	struct json_reader_value element;

	return read_element(array, at, &element, &wanted);
}
