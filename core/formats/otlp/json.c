/* SPDX-License-Identifier: MIT */
/*
 * Translates JSON to Protocol Buffers. The length of a message precedes it, so one byte is
 * reserved. If the length turns out to need more bytes when the message ends, the message is moved.
 * A byte is therefore moved at most once per enclosing message, of which there are at most
 * JSON_READER_DEPTH_MAX.
 */
#include "json.h"

#include "base/base64.h"
#include "base/hex.h"
#include "base/json_escape.h"
#include "base/json_reader.h"
#include "base/wire_write.h"
#include "json_fields.h"
#include "json_number.h"

#include <string.h>

/* An open object or array. */
struct level {
	const struct otlp_json_field *field; /* field of an array, NULL for an object */
	enum otlp_json_message message;      /* type of an object */
	uint32_t seen; /* mask of the field numbers seen so far in an object */
	bool has_length;
	/* output offsets of the key, and of the contents that the length counts */
	size_t head, start;
};

struct translation {
	struct json_walk walk;
	struct sink *out;
	uint64_t unknown;
	enum otlp_version version;
	struct level levels[JSON_READER_DEPTH_MAX + 1]; /* indexed by depth */
};

static void fail_translation(struct translation *t, const struct json_step *step, const char *what)
{
	reader_fail_at(&t->walk.in, step->at, CAIRN_MALFORMED, what);
}

/* Insert the length of the output since `start` at `start`. */
static void put_length(struct sink *out, size_t start)
{
	const size_t size = out->size - start, more = wire_varint_size(size) - 1;

	out->size += more;
	if (!sink_fits(out))
		return;
	if (more > 0)
		memmove(out->data + start + more, out->data + start, size);
	struct sink length = sink_open(out->data + start - 1, more + 1);
	wire_put_varint(&length, size);
}

static void put_unescaped(struct sink *out, struct cairn_bytes text)
{
	for (size_t at = 0; at < text.size;) {
		const struct cairn_bytes rest = { text.data + at, text.size - at };
		const size_t run = json_plain_run(rest);
		uint8_t character[4];
		sink_bytes(out, rest.data, run);
		at += run;
		if (at < text.size)
			sink_bytes(out, character, json_reader_character(text, &at, character));
	}
}

static const char *put_hex(struct sink *out, struct cairn_bytes text)
{
	bool good = text.size % 2 == 0;

	for (size_t i = 0; good && i < text.size; i += 2) {
		const unsigned high = hex_digit(text.data[i]), low = hex_digit(text.data[i + 1]);
		good = high != HEX_NO_DIGIT && low != HEX_NO_DIGIT;
		sink_u8(out, (uint8_t)(high << 4 | low));
	}
	return good ? NULL : "an ID in hexadecimal digits is expected";
}

/*
 * Write decoded base64. If the capacity is insufficient for the maximum size, only add that size.
 */
static const char *put_base64(struct sink *out, struct cairn_bytes text)
{
	const size_t most = base64_room(text);

	if (!sink_fits(out) || most > out->room - out->size) {
		out->size += most;
		return NULL;
	}
	const struct base64_result result = base64_decode(text, out->data + out->size);
	out->size += result.size;
	return result.problems == 0 ? NULL : "base64 is expected";
}

static const char *put_content(struct sink *out, const struct otlp_json_field *field,
                               struct cairn_bytes text)
{
	if (field->kind == OTLP_JSON_HEX)
		return put_hex(out, text);
	if (field->kind == OTLP_JSON_BASE64)
		return put_base64(out, text);
	put_unescaped(out, text);
	return NULL;
}

static void put_sized(struct translation *t, const struct otlp_json_field *field,
                      const struct json_step *step, bool is_kept)
{
	const size_t head = t->out->size;
	const char *wrong = "a string is expected";

	wire_put_head(t->out, field->number, 0);
	const size_t start = t->out->size;
	if (step->kind == JSON_READER_STRING)
		wrong = put_content(t->out, field, step->text);
	if (wrong)
		fail_translation(t, step, wrong);
	if (t->out->size == start && !is_kept)
		t->out->size = head;
	else
		put_length(t->out, start);
}

static const char *read_temporality(const struct json_step *step, uint64_t *value)
{
	static const char *const names[] = { "AGGREGATION_TEMPORALITY_UNSPECIFIED",
		                             "AGGREGATION_TEMPORALITY_DELTA",
		                             "AGGREGATION_TEMPORALITY_CUMULATIVE" };

	if (step->kind != JSON_READER_STRING)
		return otlp_json_whole(step->text, INT32_MAX, 1u << 31, value);
	for (*value = 0; *value < sizeof(names) / sizeof(names[0]); ++*value)
		if (step->text.size == strlen(names[*value]) &&
		    memcmp(step->text.data, names[*value], step->text.size) == 0)
			return NULL;
	return "a temporality that is not known";
}

/* Read a scalar. Return NULL on success, otherwise a message. */
static const char *read_scalar_value(enum otlp_json_kind kind, const struct json_step *step,
                                     uint64_t *value)
{
	const bool is_flag = step->kind == JSON_READER_TRUE || step->kind == JSON_READER_FALSE;

	*value = step->kind == JSON_READER_TRUE;
	if (kind == OTLP_JSON_FLAG)
		return is_flag ? NULL : "true or false is expected";
	if (step->kind != JSON_READER_NUMBER && step->kind != JSON_READER_STRING)
		return "a number is expected";
	switch (kind) {
	case OTLP_JSON_INT32:
		return otlp_json_whole(step->text, INT32_MAX, 1u << 31, value);
	case OTLP_JSON_UINT32:
		return otlp_json_whole(step->text, UINT32_MAX, 0, value);
	case OTLP_JSON_INT64:
		return otlp_json_whole(step->text, INT64_MAX, UINT64_C(1) << 63, value);
	case OTLP_JSON_UINT64:
	case OTLP_JSON_FIXED64:
		return otlp_json_whole(step->text, UINT64_MAX, 0, value);
	case OTLP_JSON_DOUBLE:
		return otlp_json_double(step->text, value);
	case OTLP_JSON_TEMPORALITY:
		return read_temporality(step, value);
	case OTLP_JSON_FLAG:
	case OTLP_JSON_TEXT:
	case OTLP_JSON_HEX:
	case OTLP_JSON_BASE64:
	case OTLP_JSON_MESSAGE:
		break;
	}
	return "a number is expected";
}

/* Write a number, either as a field or as an element of a packed list. */
static void put_json_number(struct translation *t, const struct otlp_json_field *field,
                            const struct json_step *step, bool is_kept)
{
	const bool is_fixed = field->kind == OTLP_JSON_FIXED64 || field->kind == OTLP_JSON_DOUBLE;
	uint64_t value;
	const char *wrong = read_scalar_value((enum otlp_json_kind)field->kind, step, &value);

	if (wrong)
		fail_translation(t, step, wrong);
	if (wrong || (value == 0 && !is_kept))
		return;
	if (!field->is_list)
		wire_put_key(t->out, field->number, is_fixed ? WIRE_64 : WIRE_VARINT);
	if (is_fixed)
		sink_little(t->out, value, 8);
	else
		wire_put_varint(t->out, value);
}

/* Start a list. Lists of numbers are packed. */
static void open_list(struct translation *t, const struct otlp_json_field *field)
{
	struct level *level = &t->levels[t->walk.depth];

	*level = (struct level){ .field = field,
		                 .has_length = field->kind < OTLP_JSON_TEXT,
		                 .head = t->out->size };
	if (level->has_length)
		wire_put_head(t->out, field->number, 0);
	level->start = t->out->size;
}

/*
 * Return the message type to use. In version 1.8 with comments, profiles have different field
 * numbers.
 */
static enum otlp_json_message choose_message(enum otlp_json_message message,
                                             enum otlp_version version)
{
	return message == OTLP_JSON_PROFILE && version == OTLP_1_8_COMMENTED ? OTLP_JSON_PROFILE_1_8
	                                                                     : message;
}

static void open_message(struct translation *t, const struct otlp_json_field *field)
{
	struct level *level = &t->levels[t->walk.depth];

	*level = (struct level){ .message = choose_message((enum otlp_json_message)field->message,
		                                           t->version),
		                 .has_length = true,
		                 .head = t->out->size };
	wire_put_head(t->out, field->number, 0);
	level->start = t->out->size;
}

/* End a level. An empty packed list is removed from the output. */
static void close_level(struct translation *t)
{
	const struct level *level = &t->levels[t->walk.depth + 1];

	if (level->has_length && level->field && t->out->size == level->start)
		t->out->size = level->head;
	else if (level->has_length)
		put_length(t->out, level->start);
}

/* Return the field of a member, or NULL if the member is skipped or invalid. */
static const struct otlp_json_field *find_member(struct translation *t, struct level *level,
                                                 const struct json_step *step)
{
	const struct otlp_json_field *field = otlp_json_field(level->message, step->name);

	if (!field) {
		t->unknown++;
		json_walk_skip(&t->walk, step);
		return NULL;
	}
	if (level->seen & 1u << field->number) {
		fail_translation(t, step, "a member is there twice");
		return NULL;
	}
	if (step->kind == JSON_READER_NULL)
		return NULL;
	if (level->seen != 0 && level->message == OTLP_JSON_VALUE) {
		fail_translation(t, step, "a value has two kinds");
		return NULL;
	}
	level->seen |= 1u << field->number;
	return field;
}

static void take_single(struct translation *t, const struct otlp_json_field *field,
                        const struct json_step *step, bool is_kept)
{
	if ((step->kind == JSON_READER_OBJECT) != (field->kind == OTLP_JSON_MESSAGE) ||
	    step->kind == JSON_READER_ARRAY)
		fail_translation(t, step,
		                 field->kind == OTLP_JSON_MESSAGE
		                         ? "an object is expected"
		                         : "neither an object nor an array is expected");
	else if (field->kind == OTLP_JSON_MESSAGE)
		open_message(t, field);
	else if (field->kind >= OTLP_JSON_TEXT)
		put_sized(t, field, step, is_kept);
	else
		put_json_number(t, field, step, is_kept);
}

static void take_value(struct translation *t, const struct json_step *step)
{
	const unsigned depth = t->walk.depth - json_step_opens(step);
	struct level *level = &t->levels[depth];
	const struct otlp_json_field *field = level->field;

	if (depth == 0) {
		t->levels[1] = (struct level){ .message = OTLP_JSON_DATA };
		if (step->kind != JSON_READER_OBJECT)
			fail_translation(t, step, "an object is expected");
		return;
	}
	if (field) {
		take_single(t, field, step, true);
		return;
	}
	field = find_member(t, level, step);
	if (!field)
		return;
	if (!field->is_list)
		/* the field of a value determines its kind, so it is written even if it is 0 */
		take_single(t, field, step, level->message == OTLP_JSON_VALUE);
	else if (step->kind == JSON_READER_ARRAY)
		open_list(t, field);
	else
		fail_translation(t, step, "an array is expected");
}

enum cairn_status otlp_json_translate(struct cairn_bytes text, enum otlp_version version,
                                      struct sink *out, uint64_t *unknown,
                                      struct cairn_fault *fault)
{
	struct translation t = { .walk = json_walk_open(text), .out = out, .version = version };
	struct json_step step;

	while (json_walk_next(&t.walk, &step)) {
		if (step.ends)
			close_level(&t);
		else
			take_value(&t, &step);
	}
	*unknown = t.unknown;
	if (!reader_ok(&t.walk.in))
		*fault = t.walk.in.fault;
	return t.walk.in.fault.status;
}
