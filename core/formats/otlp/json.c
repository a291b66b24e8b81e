/* SPDX-License-Identifier: MIT */
/*
 * Maps the members of OpenTelemetry's JSON to Protocol Buffers fields. Although fields have been
 * moved and renamed since 1.8, each name has kept its meaning, so the members of all versions are
 * mapped to the field numbers of 1.10 and 1.11. Only version 1.8 with comments keeps its own field
 * numbers.
 */
#include "json.h"
#include "json_fields.h"

#include "base/encoding.h"
#include "base/json_escape.h"
#include "base/json_reader.h"
#include "base/wire.h"

#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ONE(name, number, kind)                          \
	{                                                \
		name, number, OTLP_JSON_##kind, 0, false \
	}
#define LIST(name, number, kind)                        \
	{                                               \
		name, number, OTLP_JSON_##kind, 0, true \
	}
#define PART(name, number, message)                                         \
	{                                                                   \
		name, number, OTLP_JSON_MESSAGE, OTLP_JSON_##message, false \
	}
#define PARTS(name, number, message)                                       \
	{                                                                  \
		name, number, OTLP_JSON_MESSAGE, OTLP_JSON_##message, true \
	}

enum { FIELDS_MAX = 14 };

static const struct otlp_json_field fields[][FIELDS_MAX + 1] = {
	[OTLP_JSON_DATA] = { PARTS("resourceProfiles", 1, RESOURCE_PROFILES),
	                     PART("dictionary", 2, DICTIONARY) },
	[OTLP_JSON_RESOURCE_PROFILES] = { PART("resource", 1, RESOURCE),
	                                  PARTS("scopeProfiles", 2, SCOPE_PROFILES),
	                                  ONE("schemaUrl", 3, TEXT) },
	[OTLP_JSON_SCOPE_PROFILES] = { PART("scope", 1, SCOPE), PARTS("profiles", 2, PROFILE),
	                               ONE("schemaUrl", 3, TEXT) },
	[OTLP_JSON_RESOURCE] = { PARTS("attributes", 1, NAMED_VALUE),
	                         ONE("droppedAttributesCount", 2, UINT32),
	                         PARTS("entityRefs", 3, ENTITY) },
	[OTLP_JSON_ENTITY] = { ONE("schemaUrl", 1, TEXT), ONE("type", 2, TEXT),
	                       LIST("idKeys", 3, TEXT), LIST("descriptionKeys", 4, TEXT) },
	[OTLP_JSON_SCOPE] = { ONE("name", 1, TEXT), ONE("version", 2, TEXT),
	                      PARTS("attributes", 3, NAMED_VALUE),
	                      ONE("droppedAttributesCount", 4, UINT32) },
	[OTLP_JSON_PROFILE] = { PART("sampleType", 1, TYPE), PARTS("samples", 2, SAMPLE),
	                        PARTS("sample", 2, SAMPLE), ONE("timeUnixNano", 3, FIXED64),
	                        ONE("timeNanos", 3, FIXED64), ONE("durationNano", 4, UINT64),
	                        ONE("durationNanos", 4, UINT64), PART("periodType", 5, TYPE),
	                        ONE("period", 6, INT64), ONE("profileId", 7, HEX),
	                        ONE("droppedAttributesCount", 8, UINT32),
	                        ONE("originalPayloadFormat", 9, TEXT),
	                        ONE("originalPayload", 10, BASE64),
	                        LIST("attributeIndices", 11, INT32) },
	[OTLP_JSON_SAMPLE] = { ONE("stackIndex", 1, INT32), LIST("attributeIndices", 2, INT32),
	                       ONE("linkIndex", 3, INT32), LIST("values", 4, INT64),
	                       LIST("timestampsUnixNano", 5, FIXED64) },
	[OTLP_JSON_TYPE] = { ONE("typeStrindex", 1, INT32), ONE("unitStrindex", 2, INT32),
	                     ONE("aggregationTemporality", 3, TEMPORALITY) },
	[OTLP_JSON_DICTIONARY] = { PARTS("mappingTable", 1, MAPPING),
	                           PARTS("locationTable", 2, LOCATION),
	                           PARTS("functionTable", 3, FUNCTION), PARTS("linkTable", 4, LINK),
	                           LIST("stringTable", 5, TEXT),
	                           PARTS("attributeTable", 6, ATTRIBUTE),
	                           PARTS("stackTable", 7, STACK) },
	[OTLP_JSON_MAPPING] = { ONE("memoryStart", 1, UINT64), ONE("memoryLimit", 2, UINT64),
	                        ONE("fileOffset", 3, UINT64), ONE("filenameStrindex", 4, INT32),
	                        LIST("attributeIndices", 5, INT32) },
	[OTLP_JSON_LOCATION] = { ONE("mappingIndex", 1, INT32), ONE("address", 2, UINT64),
	                         PARTS("lines", 3, LINE), PARTS("line", 3, LINE),
	                         LIST("attributeIndices", 4, INT32) },
	[OTLP_JSON_LINE] = { ONE("functionIndex", 1, INT32), ONE("line", 2, INT64),
	                     ONE("column", 3, INT64) },
	[OTLP_JSON_FUNCTION] = { ONE("nameStrindex", 1, INT32), ONE("systemNameStrindex", 2, INT32),
	                         ONE("filenameStrindex", 3, INT32), ONE("startLine", 4, INT64) },
	[OTLP_JSON_LINK] = { ONE("traceId", 1, HEX), ONE("spanId", 2, HEX) },
	[OTLP_JSON_ATTRIBUTE] = { ONE("keyStrindex", 1, INT32), PART("value", 2, VALUE),
	                          ONE("unitStrindex", 3, INT32) },
	[OTLP_JSON_STACK] = { LIST("locationIndices", 1, INT32) },
	[OTLP_JSON_NAMED_VALUE] = { ONE("key", 1, TEXT), PART("value", 2, VALUE),
	                            ONE("keyStrindex", 3, INT32) },
	[OTLP_JSON_VALUE] = { ONE("stringValue", 1, TEXT), ONE("boolValue", 2, FLAG),
	                      ONE("intValue", 3, INT64), ONE("doubleValue", 4, DOUBLE),
	                      PART("arrayValue", 5, VALUES), PART("kvlistValue", 6, NAMED_VALUES),
	                      ONE("bytesValue", 7, BASE64), ONE("stringValueStrindex", 8, INT32) },
	[OTLP_JSON_VALUES] = { PARTS("values", 1, VALUE) },
	[OTLP_JSON_NAMED_VALUES] = { PARTS("values", 1, NAMED_VALUE) },

	[OTLP_JSON_PROFILE_1_8] = { PART("sampleType", 1, TYPE), PARTS("sample", 2, SAMPLE_1_8),
	                            PARTS("samples", 2, SAMPLE_1_8),
	                            ONE("timeUnixNano", 3, FIXED64), ONE("timeNanos", 3, FIXED64),
	                            ONE("durationNano", 4, UINT64), ONE("durationNanos", 4, UINT64),
	                            PART("periodType", 5, TYPE), ONE("period", 6, INT64),
	                            LIST("commentStrindices", 7, INT32), ONE("profileId", 8, HEX),
	                            ONE("droppedAttributesCount", 9, UINT32),
	                            ONE("originalPayloadFormat", 10, TEXT),
	                            ONE("originalPayload", 11, BASE64),
	                            LIST("attributeIndices", 12, INT32) },
	[OTLP_JSON_SAMPLE_1_8] = { ONE("stackIndex", 1, INT32), LIST("values", 2, INT64),
	                           LIST("attributeIndices", 3, INT32), ONE("linkIndex", 4, INT32),
	                           LIST("timestampsUnixNano", 5, FIXED64) },
	[OTLP_JSON_OLDER] = { ONE("locationsStartIndex", 1, INT32),
	                      ONE("locationsLength", 2, INT32),
	                      ONE("attributeKeyStrindex", 1, INT32) },
};

static bool is_name(const char *wanted, struct cairn_bytes name)
{
	size_t at = 0;

	for (; *wanted && at < name.size; wanted++, at++) {
		uint8_t c = name.data[at];
		if (c == '_' && name.size - at > 1 && name.data[at + 1] >= 'a' &&
		    name.data[at + 1] <= 'z')
			c = (uint8_t)(name.data[++at] - 'a' + 'A');
		if (c != (uint8_t)*wanted)
			return false;
	}
	return !*wanted && at == name.size;
}

const struct otlp_json_field *otlp_json_field(enum otlp_json_message message,
                                              struct cairn_bytes name)
{
	const struct otlp_json_field *field = fields[message];

	while (field->name && !is_name(field->name, name))
		field++;
	return field->name ? field : NULL;
}

const struct otlp_json_field *otlp_json_fields(enum otlp_json_message message)
{
	return fields[message];
}

/*
 * Reads numeric values in OpenTelemetry's JSON, which are JSON numbers or strings with the same
 * syntax:
 *
 *	number = "-"? digits ("." digits)? (("e" | "E") ("+" | "-")? digits)?
 *
 * Integers may have a fraction of zeros or an exponent, because programs in languages that have
 * only floating-point numbers may write 2000 as 2e3.
 */

/* larger exponents are clamped, because they have the same effect */
enum { EXPONENT_MAX = 1 << 16 };

struct decimal {
	bool is_negative;
	struct cairn_bytes whole, fraction;
	int64_t exponent;
};

static bool take_byte(struct cairn_bytes *text, char a, char b)
{
	if (text->size == 0 || (text->data[0] != (uint8_t)a && text->data[0] != (uint8_t)b))
		return false;
	text->data++;
	text->size--;
	return true;
}

static struct cairn_bytes take_digits(struct cairn_bytes *text)
{
	struct cairn_bytes digits = { text->data, 0 };

	while (digits.size < text->size && digits.data[digits.size] >= '0' &&
	       digits.data[digits.size] <= '9')
		digits.size++;
	text->data += digits.size;
	text->size -= digits.size;
	return digits;
}

static bool take_exponent(struct cairn_bytes *text, int64_t *exponent)
{
	const bool is_negative = take_byte(text, '-', '-');

	if (!is_negative)
		(void)take_byte(text, '+', '+');
	const struct cairn_bytes digits = take_digits(text);
	for (size_t i = 0; i < digits.size && *exponent < EXPONENT_MAX; i++)
		*exponent = *exponent * 10 + digits.data[i] - '0';
	if (is_negative)
		*exponent = -*exponent;
	return digits.size > 0;
}

static bool take_decimal(struct cairn_bytes text, struct decimal *decimal)
{
	*decimal = (struct decimal){ .is_negative = take_byte(&text, '-', '-') };
	decimal->whole = take_digits(&text);
	decimal->fraction = (struct cairn_bytes){ text.data, 0 };
	if (decimal->whole.size == 0)
		return false;
	if (take_byte(&text, '.', '.')) {
		decimal->fraction = take_digits(&text);
		if (decimal->fraction.size == 0)
			return false;
	}
	if (take_byte(&text, 'e', 'E') && !take_exponent(&text, &decimal->exponent))
		return false;
	return text.size == 0;
}

static bool append_digit(uint64_t *value, uint8_t digit)
{
	if (*value > (UINT64_MAX - digit) / 10)
		return false;
	*value = *value * 10 + digit;
	return true;
}

/*
 * Compute an integer from its decimal digits. The exponent moves the decimal point. Return false if
 * a digit after the moved point is not 0, or if the integer is too large.
 */
static bool sum_decimal(const struct decimal *decimal, uint64_t *value)
{
	const size_t size = decimal->whole.size + decimal->fraction.size;
	int64_t before = (int64_t)decimal->whole.size + decimal->exponent;

	*value = 0;
	for (size_t i = 0; i < size; i++, before--) {
		const uint8_t digit =
			i < decimal->whole.size
				? decimal->whole.data[i] - '0'
				: decimal->fraction.data[i - decimal->whole.size] - '0';
		if (before <= 0 ? digit != 0 : !append_digit(value, digit))
			return false;
	}
	for (; before > 0 && *value > 0; before--)
		if (!append_digit(value, 0))
			return false;
	return true;
}

/*
 * Read an integer between -most_negative and `most`, as 64 bits in two's complement. Return NULL on
 * success, otherwise a constant error message.
 */
static const char *otlp_json_whole(struct cairn_bytes text, uint64_t most, uint64_t most_negative,
                                   uint64_t *value)
{
	struct decimal decimal;
	uint64_t sum;

	if (!take_decimal(text, &decimal))
		return "expected a number";
	if (!sum_decimal(&decimal, &sum) || sum > (decimal.is_negative ? most_negative : most))
		return "a number that is not whole, or out of range";
	*value = decimal.is_negative && sum > 0 ? ~(sum - 1) : sum;
	return NULL;
}

static bool is_word(struct cairn_bytes text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* Convert a number with strtod(), which expects the decimal point of the current locale. */
static double parse_double(struct cairn_bytes text)
{
	char digits[OTLP_JSON_DOUBLE_MAX + 1];
	char *point;

	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	point = strchr(digits, '.');
	if (point)
		*point = localeconv()->decimal_point[0];
	return strtod(digits, NULL);
}

const char *otlp_json_double(struct cairn_bytes text, uint64_t *bits)
{
	struct decimal decimal;
	double value;

	*bits = is_word(text, "NaN")         ? UINT64_C(0x7ff8000000000000)
	        : is_word(text, "Infinity")  ? UINT64_C(0x7ff0000000000000)
	        : is_word(text, "-Infinity") ? UINT64_C(0xfff0000000000000)
	                                     : 0;
	if (*bits != 0)
		return NULL;
	if (!take_decimal(text, &decimal))
		return "expected a number";
	if (text.size > OTLP_JSON_DOUBLE_MAX)
		return "a number with too many digits";
	value = parse_double(text);
	memcpy(bits, &value, sizeof(value));
	return NULL;
}

/*
 * Translates JSON to Protocol Buffers. A message is preceded by its length, for which one byte is
 * reserved. If the length turns out to need more bytes, the message is moved. Each byte is moved at
 * most once per enclosing message, of which there are at most JSON_READER_DEPTH_MAX.
 */

struct level {
	/* field whose elements this array holds; NULL for an object */
	const struct otlp_json_field *field;
	enum otlp_json_message message;
	uint32_t seen; /* bit mask of the fields that this object contains so far */
	bool has_length;
	/* output offsets where the field's key and its contents begin */
	size_t head, start;
};

struct translation {
	struct json_walk walk;
	struct sink *out;
	uint64_t unknown;
	enum otlp_version version;
	struct level levels[JSON_READER_DEPTH_MAX + 1];
};

static void fail_translation(struct translation *t, const struct json_step *step, const char *what)
{
	reader_fail_at(&t->walk.in, step->at, CAIRN_MALFORMED, what);
}

/*
 * Insert the length of the output since offset `start` before that output. One byte has been
 * reserved there for the length.
 */
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
	return good ? NULL : "expected an ID in hexadecimal digits";
}

/*
 * Decode base64 into the output. If the decoded bytes might not fit, only increase out->size by
 * their maximum size.
 */
static const char *put_base64(struct sink *out, struct cairn_bytes text)
{
	const size_t most = base64_capacity(text);

	if (!sink_fits(out) || most > out->capacity - out->size) {
		out->size += most;
		return NULL;
	}
	const struct base64_result result = base64_decode(text, out->data + out->size);
	out->size += result.size;
	return result.problems == 0 ? NULL : "expected base64";
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
	const char *wrong = "expected a string";

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
	return "an unknown temporality";
}

/* Read a scalar. Return NULL on success, otherwise a constant error message. */
static const char *read_scalar_value(enum otlp_json_kind kind, const struct json_step *step,
                                     uint64_t *value)
{
	const bool is_flag = step->kind == JSON_READER_TRUE || step->kind == JSON_READER_FALSE;

	*value = step->kind == JSON_READER_TRUE;
	if (kind == OTLP_JSON_FLAG)
		return is_flag ? NULL : "expected true or false";
	if (step->kind != JSON_READER_NUMBER && step->kind != JSON_READER_STRING)
		return "expected a number";
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
	return "expected a number";
}

/* Write a number, as a separate field or as an element of a packed list. */
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

/* Return the message type whose field numbers apply to this version. */
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

/* End an object or array. Remove an empty packed list from the output. */
static void close_level(struct translation *t)
{
	const struct level *level = &t->levels[t->walk.depth + 1];

	if (level->has_length && level->field && t->out->size == level->start)
		t->out->size = level->head;
	else if (level->has_length)
		put_length(t->out, level->start);
}

/* Return the field for a member, or NULL if the member is skipped or invalid. */
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
		fail_translation(t, step, "duplicate member in a JSON object");
		return NULL;
	}
	if (step->kind == JSON_READER_NULL)
		return NULL;
	if (level->seen != 0 && level->message == OTLP_JSON_VALUE) {
		fail_translation(t, step, "a value has more than one type");
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
		                         ? "expected an object"
		                         : "expected a single value, not an object or array");
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
			fail_translation(t, step, "expected an object");
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
		/*
		 * write the member even if it is 0, because its presence selects the kind of the
		 * value
		 */
		take_single(t, field, step, level->message == OTLP_JSON_VALUE);
	else if (step->kind == JSON_READER_ARRAY)
		open_list(t, field);
	else
		fail_translation(t, step, "expected an array");
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

/*
 * Depths at which members reveal the version; a sample, for example, is nested in four arrays of
 * objects. Ignore members at other depths, because attribute values may contain members of any
 * name.
 */
enum { SAMPLE_DEPTH = 9, PROFILE_DEPTH = 7, COMMENTS = 7, UNIT_DEPTH = 4, TOP_DEPTH = 1 };

/* Return true for the member with a profile's comments, which exists up to version 1.8. */
static bool is_comment_member(struct cairn_bytes name)
{
	const struct otlp_json_field *field = otlp_json_field(OTLP_JSON_PROFILE_1_8, name);

	return field && field->number == COMMENTS;
}

enum otlp_version otlp_json_version(struct cairn_bytes text)
{
	struct json_walk walk = json_walk_open(text);
	struct json_step step;
	bool older = false, has_dictionary = false, has_comments = false;

	while (json_walk_next(&walk, &step)) {
		const unsigned depth = walk.depth - json_step_opens(&step);
		if (step.ends)
			continue;
		if (depth == SAMPLE_DEPTH || depth == UNIT_DEPTH)
			older |= otlp_json_field(OTLP_JSON_OLDER, step.name) != NULL;
		if (depth == PROFILE_DEPTH)
			has_comments |= is_comment_member(step.name);
		if (depth == TOP_DEPTH) {
			const struct otlp_json_field *field =
				otlp_json_field(OTLP_JSON_DATA, step.name);
			has_dictionary |= field && field->number == OTLP_DICTIONARY;
		}
	}
	if (older)
		return has_dictionary ? OTLP_1_7 : OTLP_1_5;
	return has_comments ? OTLP_1_8_COMMENTED : OTLP_1_10;
}
