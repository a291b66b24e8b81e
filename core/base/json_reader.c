/* SPDX-License-Identifier: MIT */
/*
 * Walks a JSON document by this grammar:
 *
 *	document = white value white
 *	value    = object | array | string | number | "true" | "false" | "null"
 *	object   = "{" white [member ("," white member)*] "}"
 *	member   = string white ":" white value white
 *	array    = "[" white [value white ("," value white)*] "]"
 *
 * The stack has one bit per open bracket. Bytes from 0x80 on in strings are not validated here,
 * because output/escape.h handles them when they are printed.
 */
#include "json_reader.h"
#include "bytes.h"
#include "encoding.h"
#include "invariant.h"
#include "json_escape.h"
#include "utf8.h"

#include <assert.h>
#include <string.h>

static inline int json_peek_byte(const struct reader *r)
{
	return reader_ok(r) && reader_left(r) > 0 ? r->in.data[r->at] : -1;
}

static inline void json_fail(struct reader *r, const char *what)
{
	bool end = reader_left(r) == 0;

	reader_fail_at(r, r->at, end ? CAIRN_TRUNCATED : CAIRN_MALFORMED,
	               end ? "the text ends inside a JSON value" : what);
}

static inline void json_skip_white(struct reader *r)
{
	int c = json_peek_byte(r);

	while (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
		reader_skip(r, 1);
		c = json_peek_byte(r);
	}
}

static inline enum json_reader_kind json_peek_kind(const struct reader *r)
{
	switch (json_peek_byte(r)) {
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

static const char *const too_deep = "JSON is nested too deeply";

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
	expect_byte(r, '"', "expected a JSON string");
	size_t start = r->at;
	int c = skip_plain(r);

	for (; c >= ' ' && c != '"'; c = skip_plain(r)) {
		reader_skip(r, 1);
		if (c == '\\')
			read_escape(r);
	}
	size_t end = r->at;
	expect_byte(r, '"', "unescaped control character in a JSON string");
	return (struct cairn_bytes){ r->in.data + start, end - start };
}

static void read_digits(struct reader *r)
{
	int c = json_peek_byte(r);

	if (c < '0' || c > '9')
		json_fail(r, "expected a digit");
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
		expect_byte(r, *word, "expected a JSON value");
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
	expect_byte(r, ':', "expected a colon");
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
	expect_byte(&walk->in, is_object ? '}' : ']', "expected a comma or closing bracket");
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

struct wanted_members {
	const char *const *name;
	size_t count;
	struct json_reader_value *value;
	/*
	 * name of the member whose array or object is being read, and offset of that array or
	 * object
	 */
	struct cairn_bytes open_name;
	size_t open_at;
};

/* Return true if the name, with escapes decoded, equals `wanted`. */
static bool is_called(struct cairn_bytes name, bool has_escapes, const char *wanted)
{
	size_t at = 0, compared = 0;
	uint8_t character[4];

	if (!has_escapes)
		return (uint8_t)wanted[0] == name.data[0] && bytes_are(name, wanted);
	while (at < name.size) {
		const size_t size = json_reader_character(name, &at, character);
		if (strncmp(wanted + compared, (const char *)character, size) != 0)
			return false;
		compared += size;
	}
	return wanted[compared] == '\0';
}

static void take_member(const struct wanted_members *wanted, struct cairn_bytes name,
                        const struct json_reader_value *value)
{
	if (name.size == 0)
		return;
	const bool has_escapes = memchr(name.data, '\\', name.size) != NULL;
	for (size_t i = 0; i < wanted->count; i++)
		if (is_called(name, has_escapes, wanted->name[i]))
			wanted->value[i] = *value;
}

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

static struct json_reader_value read_value(struct reader *r, struct wanted_members *wanted)
{
	struct json_reader_value value = { json_peek_kind(r), { r->in.data + r->at, 0 } };
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

	json_skip_white(&r);
	struct json_reader_value top = read_value(&r, wanted);
	json_skip_white(&r);
	if (reader_ok(&r) && reader_left(&r) > 0)
		json_fail(&r, "more text follows the JSON value");
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

enum cairn_status json_reader_open_members(struct cairn_bytes text, struct json_reader_value *top,
                                           const char *const *name, size_t count,
                                           struct json_reader_value *value,
                                           struct cairn_fault *fault)
{
	struct wanted_members wanted = { .name = name, .count = count, .value = value };

	return open_document(text, top, &wanted, fault);
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
	json_skip_white(&r);
	if (json_peek_byte(&r) == ',')
		reader_skip(&r, 1);
	json_skip_white(&r);
	if (json_peek_byte(&r) < 0 || json_peek_byte(&r) == ']')
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
                                 struct json_reader_value *element, const char *const *name,
                                 size_t count, struct json_reader_value *value)
{
	struct wanted_members wanted = { .name = name, .count = count, .value = value };

	return read_element(array, at, element, &wanted);
}

/* Decode four hexadecimal digits, which json_reader_open() has verified. */
static uint32_t decode_four_digits(const uint8_t *p)
{
	return hex_digit(p[0]) << 12 | hex_digit(p[1]) << 8 | hex_digit(p[2]) << 4 |
	       hex_digit(p[3]);
}

static uint32_t decode_short_escape(uint8_t letter)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *at = strchr(letters, letter);

	return at ? (uint32_t)meanings[at - letters] : letter;
}

enum { REPLACEMENT = 0xfffd };

static uint32_t decode_escape(struct cairn_bytes text, size_t *at)
{
	uint8_t letter = text.data[(*at)++];

	if (letter != 'u')
		return decode_short_escape(letter);
	uint32_t value = decode_four_digits(text.data + *at);
	*at += 4;
	if (value < 0xd800 || value > 0xdfff)
		return value ? value : REPLACEMENT;
	if (value > 0xdbff || text.size - *at < 6 || text.data[*at] != '\\' ||
	    text.data[*at + 1] != 'u')
		return REPLACEMENT;
	uint32_t low = decode_four_digits(text.data + *at + 2);
	if (low < 0xdc00 || low > 0xdfff)
		return REPLACEMENT;
	*at += 6;
	return 0x10000 + ((value - 0xd800) << 10 | (low - 0xdc00));
}

size_t json_reader_character(struct cairn_bytes text, size_t *at, uint8_t out[4])
{
	const struct cairn_bytes rest = { text.data + *at, text.size - *at };
	uint32_t character;

	if (*rest.data == '\\') {
		++*at;
		return utf8_encode(decode_escape(text, at), out);
	}
	size_t size = cairn_character_at(rest, &character);
	*at += size ? size : 1;
	return utf8_encode(size ? character : REPLACEMENT, out);
}

bool json_reader_text(const struct json_reader_value *value, char *out, size_t capacity)
{
	struct cairn_bytes text = value->text;
	size_t used = 0, at = 0;

	INVARIANT(capacity > 0);
	out[0] = '\0';
	if (value->kind != JSON_READER_STRING && value->kind != JSON_READER_NUMBER)
		return false;
	while (at < text.size) {
		const size_t plain =
			json_plain_run((struct cairn_bytes){ text.data + at, text.size - at });
		const size_t copied = plain < capacity - 1 - used ? plain : capacity - 1 - used;
		memcpy(out + used, text.data + at, copied);
		used += copied;
		at += copied;
		if (copied < plain || at == text.size)
			break;
		uint8_t character[4];
		size_t size = json_reader_character(text, &at, character);
		if (size >= capacity - used)
			break;
		memcpy(out + used, character, size);
		used += size;
	}
	out[used] = '\0';
	return true;
}

bool json_reader_whole(const struct json_reader_value *value, uint64_t *number)
{
	uint64_t sum = 0;

	if (value->kind != JSON_READER_NUMBER)
		return false;
	for (size_t i = 0; i < value->text.size; i++) {
		const uint8_t c = value->text.data[i];
		if (c < '0' || c > '9' || sum > (UINT64_MAX - (uint64_t)(c - '0')) / 10)
			return false;
		sum = 10 * sum + (uint64_t)(c - '0');
	}
	*number = sum;
	return true;
}
