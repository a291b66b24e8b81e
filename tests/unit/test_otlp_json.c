/* SPDX-License-Identifier: MIT */
/* OpenTelemetry's JSON: the message that it becomes, byte by byte, and what is refused, where. */
#include "unit.h"

#include "base/byte_buffer.h"
#include "base/json_reader.h"
#include "formats/otlp/json.h"
#include "formats/otlp/json_fields.h"

#include <stdio.h>

enum { CAPACITY = 1 << 12 };

#define TABLES(text) "{\"dictionary\":{" text "}}"
#define VALUE(text) TABLES("\"attributeTable\":[{\"value\":{" text "}}]")
#define PROFILE(text) "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{" text "}]}]}]}"
#define ONES "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"

static const struct {
	const char *name, *text;
	struct cairn_bytes bytes;
	uint64_t unknown;
} rows[] = {
	{ "nothing", "{}", BYTES(""), 0 },
	{ "an empty message", "{\"resourceProfiles\":[{}]}", BYTES("\x0a\0"), 0 },
	{ "no messages", "{\"resourceProfiles\":[]}", BYTES(""), 0 },
	{ "null", "{\"resourceProfiles\":null,\"dictionary\":null}", BYTES(""), 0 },
	{ "white space", " { \"resourceProfiles\" : [ { } , { } ] } \n", BYTES("\x0a\0\x0a\0"), 0 },
	{ "underscores", "{\"resource_profiles\":[{\"schema_url\":\"u\"}]}", BYTES("\x0a\3\x1a\1u"),
	  0 },
	{ "names that are none",
	  "{\"x\":{\"y\":[1,{}]},\"resourceProfiles\":[{\"z\":1}],\"_\":1,\"resource_Profiles\":1}",
	  BYTES("\x0a\0"), 4 },
	{ "texts", TABLES("\"stringTable\":[\"\",\"a\\u00e4\"]"),
	  BYTES("\x12\7\x2a\0\x2a\3"
	        "a\xc3\xa4"),
	  0 },
	{ "a NUL, and what is not UTF-8", TABLES("\"stringTable\":[\"\\u0000\xff\"]"),
	  BYTES("\x12\x08\x2a\6\xef\xbf\xbd\xef\xbf\xbd"), 0 },
	{ "a list of numbers", TABLES("\"stackTable\":[{\"locationIndices\":[0,1,\"300\"]}]"),
	  BYTES("\x12\x08\x3a\6\x0a\4\0\1\xac\2"), 0 },
	{ "a list of no numbers", TABLES("\"stackTable\":[{\"locationIndices\":[]}]"),
	  BYTES("\x12\2\x3a\0"), 0 },
	{ "zeros",
	  TABLES("\"mappingTable\":[{\"memoryStart\":\"0\",\"fileOffset\":0,"
	         "\"filenameStrindex\":3}]"),
	  BYTES("\x12\4\x0a\2\x20\3"), 0 },
	{ "64 bits", TABLES("\"mappingTable\":[{\"memoryLimit\":\"18446744073709551615\"}]"),
	  BYTES("\x12\x0d\x0a\x0b\x10" ONES), 0 },
	{ "a negative number", TABLES("\"mappingTable\":[{\"filenameStrindex\":-1}]"),
	  BYTES("\x12\x0d\x0a\x0b\x20" ONES), 0 },
	{ "the least number",
	  TABLES("\"functionTable\":[{\"startLine\":\"-9223372036854775808\"}]"),
	  BYTES("\x12\x0d\x1a\x0b\x20\x80\x80\x80\x80\x80\x80\x80\x80\x80\1"), 0 },
	{ "an exponent", TABLES("\"locationTable\":[{\"address\":2e3}]"),
	  BYTES("\x12\5\x12\3\x10\xd0\x0f"), 0 },
	{ "a fraction of nothing", TABLES("\"locationTable\":[{\"address\":\"1.20e+1\"}]"),
	  BYTES("\x12\4\x12\2\x10\x0c"), 0 },
	{ "zero with any exponent", TABLES("\"locationTable\":[{\"address\":0.0e999999999999}]"),
	  BYTES("\x12\2\x12\0"), 0 },
	{ "a hundred, divided", TABLES("\"locationTable\":[{\"address\":100e-2}]"),
	  BYTES("\x12\4\x12\2\x10\1"), 0 },
	{ "a value of 0", VALUE("\"intValue\":\"0\""), BYTES("\x12\6\x32\4\x12\2\x18\0"), 0 },
	{ "a value of nothing", VALUE("\"stringValue\":\"\""), BYTES("\x12\6\x32\4\x12\2\x0a\0"),
	  0 },
	{ "false", VALUE("\"boolValue\":false"), BYTES("\x12\6\x32\4\x12\2\x10\0"), 0 },
	{ "true", VALUE("\"boolValue\":true"), BYTES("\x12\6\x32\4\x12\2\x10\1"), 0 },
	{ "a double", VALUE("\"doubleValue\":1.5"),
	  BYTES("\x12\x0d\x32\x0b\x12\x09\x21\0\0\0\0\0\0\xf8\x3f"), 0 },
	{ "a double of text", VALUE("\"doubleValue\":\"-2\""),
	  BYTES("\x12\x0d\x32\x0b\x12\x09\x21\0\0\0\0\0\0\0\xc0"), 0 },
	{ "infinity", VALUE("\"doubleValue\":\"-Infinity\""),
	  BYTES("\x12\x0d\x32\x0b\x12\x09\x21\0\0\0\0\0\0\xf0\xff"), 0 },
	{ "bytes", VALUE("\"bytesValue\":\"AhgQ\""), BYTES("\x12\x09\x32\7\x12\5\x3a\3\2\x18\x10"),
	  0 },
	{ "no bytes", VALUE("\"bytesValue\":\"\""), BYTES("\x12\6\x32\4\x12\2\x3a\0"), 0 },
	{ "values in each other",
	  VALUE("\"arrayValue\":{\"values\":[{\"kvlistValue\":{\"values\":[{\"key\":\"k\"}]}}]}"),
	  BYTES("\x12\x0f\x32\x0d\x12\x0b\x2a\x09\x0a\7\x32\5\x0a\3\x0a\1k"), 0 },
	{ "IDs", TABLES("\"linkTable\":[{\"traceId\":\"0aFf\",\"spanId\":\"\"}]"),
	  BYTES("\x12\6\x22\4\x0a\2\x0a\xff"), 0 },
	{ "times", PROFILE("\"samples\":[{\"timestampsUnixNano\":[\"1\",2]}]"),
	  BYTES("\x0a\x18\x12\x16\x12\x14\x12\x12\x2a\x10\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"), 0 },
	{ "a sample in the order of 1.9",
	  PROFILE("\"samples\":[{\"stackIndex\":1,\"values\":[5],\"attributeIndices\":[1]}]"),
	  BYTES("\x0a\x0e\x12\x0c\x12\x0a\x12\x08\x08\1\x22\1\5\x12\1\1"), 0 },
	{ "a sample by its name in 1.8", PROFILE("\"sample\":[{}]"),
	  BYTES("\x0a\6\x12\4\x12\2\x12\0"), 0 },
	{ "an attribute that is called like a member of 1.5",
	  VALUE("\"kvlistValue\":{\"values\":[{\"key\":\"locationsLength\"}]}"),
	  BYTES("\x12\x19\x32\x17\x12\x15\x32\x13\x0a\x11\x0a\x0flocationsLength"), 0 },
	{ "a temporality",
	  PROFILE("\"sampleType\":{\"aggregationTemporality\":"
	          "\"AGGREGATION_TEMPORALITY_CUMULATIVE\"}"),
	  BYTES("\x0a\x08\x12\6\x12\4\x0a\2\x18\2"), 0 },
	{ "a temporality by its number", PROFILE("\"sampleType\":{\"aggregationTemporality\":1}"),
	  BYTES("\x0a\x08\x12\6\x12\4\x0a\2\x18\1"), 0 },
};

static enum cairn_status translate(struct cairn_bytes text, uint8_t *buffer, struct sink *out,
                                   uint64_t *unknown, struct cairn_fault *fault)
{
	struct sink counted = sink_open(NULL, 0);
	const enum otlp_version version = otlp_json_version(text);
	const enum cairn_status status =
		otlp_json_translate(text, version, &counted, unknown, fault);

	if (status != CAIRN_OK)
		return status;
	ck_assert_uint_le(counted.size, CAPACITY);
	*out = sink_open(buffer, counted.size);
	return otlp_json_translate(text, version, out, unknown, fault);
}

static void put_piece(void *context, const void *bytes, size_t size)
{
	byte_buffer_bytes(context, bytes, size);
}

static enum cairn_status write_json(struct cairn_bytes message, struct byte_buffer *text,
                                    uint64_t *unknown, struct cairn_fault *fault)
{
	struct otlp_json_output out = { .put = put_piece, .context = text };
	const enum cairn_status status = otlp_json_write(unit_exact(message), &out, fault);

	*unknown = out.unknown;
	ck_assert(!text->failed);
	return status;
}

/* What is written of a message becomes one of the same size again, in the order of fields, and that the same text. */
START_TEST(writes_back)
{
	struct byte_buffer text = { .limit = CAPACITY }, again = { .limit = CAPACITY };
	struct cairn_fault fault = { .what = "" };
	struct sink out = { .size = 0 };
	uint8_t buffer[CAPACITY];
	uint64_t unknown;

	ck_assert_msg(write_json(rows[_i].bytes, &text, &unknown, &fault) == CAIRN_OK, "%s: %s",
	              rows[_i].name, fault.what);
	ck_assert_msg(unknown == 0, "%s: unknown", rows[_i].name);
	const struct cairn_bytes bytes = { text.data, text.size };
	ck_assert_msg(translate(unit_exact(bytes), buffer, &out, &unknown, &fault) == CAIRN_OK,
	              "%s: %.*s: %s", rows[_i].name, (int)text.size, (char *)text.data, fault.what);
	ck_assert_uint_eq(out.size, rows[_i].bytes.size);
	const struct cairn_bytes made = { buffer, out.size };
	ck_assert(write_json(made, &again, &unknown, &fault) == CAIRN_OK);
	ck_assert_msg(again.size == text.size && memcmp(again.data, text.data, text.size) == 0,
	              "%s: %.*s becomes %.*s", rows[_i].name, (int)text.size, (char *)text.data,
	              (int)again.size, (char *)again.data);
	byte_buffer_finish(&again);
	byte_buffer_finish(&text);
}
END_TEST

/* Messages that no text becomes, and their texts. */
static const struct {
	const char *name;
	struct cairn_bytes bytes;
	const char *text;
	uint64_t unknown;
} messages[] = {
	{ "an unknown field", BYTES("\x1a\1x\x0a\0"), "{\"resourceProfiles\":[{}]}", 1 },
	{ "a number for a text", BYTES("\x0a\2\x18\1"), "{\"resourceProfiles\":[{}]}", 1 },
	{ "numbers that are not packed", BYTES("\x12\6\x3a\4\x08\1\x08\2"),
	  TABLES("\"stackTable\":[{\"locationIndices\":[1,2]}]"), 0 },
	{ "a zero", BYTES("\x12\4\x12\2\x10\0"), TABLES("\"locationTable\":[{}]"), 0 },
	{ "the last one counts", BYTES("\x12\6\x12\4\x10\1\x10\2"),
	  TABLES("\"locationTable\":[{\"address\":\"2\"}]"), 0 },
	{ "a value of two kinds", BYTES("\x12\x08\x32\6\x12\4\x18\1\x10\0"),
	  VALUE("\"boolValue\":false"), 0 },
};

START_TEST(writes)
{
	struct byte_buffer text = { .limit = CAPACITY };
	struct cairn_fault fault = { .what = "" };
	uint64_t unknown;

	ck_assert_msg(write_json(messages[_i].bytes, &text, &unknown, &fault) == CAIRN_OK, "%s: %s",
	              messages[_i].name, fault.what);
	ck_assert_msg(text.size == strlen(messages[_i].text) &&
	                      memcmp(text.data, messages[_i].text, text.size) == 0,
	              "%s: %.*s", messages[_i].name, (int)text.size, (char *)text.data);
	ck_assert_msg(unknown == messages[_i].unknown, "%s", messages[_i].name);
	byte_buffer_finish(&text);
}
END_TEST

static const struct {
	struct cairn_bytes bytes;
	const char *what;
	uint64_t at;
} damaged[] = {
	{ BYTES("\x0a\5x"), "a field is damaged", 0 },
	{ BYTES("\x12\3\x3a\4x"), "a field is damaged", 2 },
	{ BYTES("\x12\5\x3a\3\x0a\1\x80"), "a list of numbers is damaged", 6 },
	{ BYTES("\x12\0\x12\0"), "a field that holds a single message occurs twice", 2 },
};

START_TEST(writes_nothing_damaged)
{
	struct byte_buffer text = { .limit = CAPACITY };
	struct cairn_fault fault = { .what = "" };
	uint64_t unknown;

	ck_assert(write_json(damaged[_i].bytes, &text, &unknown, &fault) != CAIRN_OK);
	ck_assert_msg(strcmp(fault.what, damaged[_i].what) == 0 && fault.offset == damaged[_i].at,
	              "%s at %llu", fault.what, (unsigned long long)fault.offset);
	byte_buffer_finish(&text);
}
END_TEST

static void wrap(uint8_t **at, const uint8_t *end, uint8_t key)
{
	const uint8_t size = (uint8_t)(end - *at);

	ck_assert_uint_lt(size, 0x80);
	*--*at = size;
	*--*at = key;
}

/* Values in values are written as long as the reader of JSON takes them. */
START_TEST(bounds_depth_of_values)
{
	enum { LEVELS = 25 };
	bool was_refused = false;

	for (unsigned levels = 0; levels < LEVELS; levels++) {
		uint8_t message[4 * LEVELS + 6], buffer[CAPACITY];
		const uint8_t *end = message + sizeof(message);
		uint8_t *at = message + sizeof(message);
		struct byte_buffer text = { .limit = CAPACITY };
		struct cairn_fault fault = { .what = "" };
		struct sink out = { .size = 0 };
		uint64_t unknown;
		for (unsigned i = 0; i < levels; i++) {
			wrap(&at, end, 0x0a);
			wrap(&at, end, 0x2a);
		}
		wrap(&at, end, 0x12);
		wrap(&at, end, 0x32);
		wrap(&at, end, 0x12);
		const struct cairn_bytes bytes = { at, (size_t)(end - at) };
		const enum cairn_status status = write_json(bytes, &text, &unknown, &fault);
		const struct cairn_bytes json = { text.data, text.size };
		if (status == CAIRN_OK)
			ck_assert(!was_refused && translate(unit_exact(json), buffer, &out,
			                                    &unknown, &fault) == CAIRN_OK);
		else
			ck_assert_str_eq(fault.what, "messages are nested too deeply");
		was_refused |= status != CAIRN_OK;
		byte_buffer_finish(&text);
	}
	ck_assert(was_refused);
}
END_TEST

START_TEST(translates)
{
	const struct cairn_bytes text = { (const uint8_t *)rows[_i].text, strlen(rows[_i].text) };
	struct cairn_fault fault = { .what = "" };
	struct sink out = { .size = 0 };
	uint8_t buffer[CAPACITY];
	uint64_t unknown = 0;

	ck_assert_msg(translate(unit_exact(text), buffer, &out, &unknown, &fault) == CAIRN_OK,
	              "%s: %s at %llu", rows[_i].name, fault.what,
	              (unsigned long long)fault.offset);
	ck_assert_msg(out.size == rows[_i].bytes.size &&
	                      memcmp(buffer, rows[_i].bytes.data, out.size) == 0,
	              "%s: other bytes, %zu", rows[_i].name, out.size);
	ck_assert_msg(unknown == rows[_i].unknown, "%s: %llu unknown", rows[_i].name,
	              (unsigned long long)unknown);
	for (size_t end = 0; end + 2 < text.size; end++)
		ck_assert_msg(translate(unit_exact((struct cairn_bytes){ text.data, end }), buffer,
		                        &out, &unknown, &fault) == CAIRN_TRUNCATED,
		              "%s, cut at %zu", rows[_i].name, end);
}
END_TEST

/* The place is that of '@', which is not in the text. */
static const struct {
	const char *text, *what;
	enum cairn_status status;
} faults[] = {
	{ "@[]", "expected an object", CAIRN_MALFORMED },
	{ "@1", "expected an object", CAIRN_MALFORMED },
	{ "{\"dictionary\":@[]}", "expected an object", CAIRN_MALFORMED },
	{ "{\"dictionary\":@1}", "expected an object", CAIRN_MALFORMED },
	{ "{\"resourceProfiles\":@{}}", "expected an array", CAIRN_MALFORMED },
	{ "{\"resourceProfiles\":[@[]]}", "expected an object", CAIRN_MALFORMED },
	{ "{\"resourceProfiles\":[@null]}", "expected an object", CAIRN_MALFORMED },
	{ "{\"dictionary\":{},\"dictionary\":@{}}", "duplicate member in a JSON object",
	  CAIRN_MALFORMED },
	{ PROFILE("\"sample\":[],\"samples\":@[]"), "duplicate member in a JSON object",
	  CAIRN_MALFORMED },
	{ VALUE("\"intValue\":1,\"boolValue\":@true"), "a value has more than one type",
	  CAIRN_MALFORMED },
	{ TABLES("\"stringTable\":[@1]"), "expected a string", CAIRN_MALFORMED },
	{ TABLES("\"stringTable\":[@null]"), "expected a string", CAIRN_MALFORMED },
	{ TABLES("\"stringTable\":[@{}]"), "expected a single value, not an object or array",
	  CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@\"\"}]"), "expected a number", CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@\"0x10\"}]"), "expected a number",
	  CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@\"1e\"}]"), "expected a number",
	  CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@\"1.\"}]"), "expected a number",
	  CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@true}]"), "expected a number", CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@-1}]"),
	  "a number that is not whole, or out of range", CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@18446744073709551616}]"),
	  "a number that is not whole, or out of range", CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@1.5}]"),
	  "a number that is not whole, or out of range", CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@1e999999999999}]"),
	  "a number that is not whole, or out of range", CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"address\":@1e-1}]"),
	  "a number that is not whole, or out of range", CAIRN_MALFORMED },
	{ TABLES("\"locationTable\":[{\"mappingIndex\":@2147483648}]"),
	  "a number that is not whole, or out of range", CAIRN_MALFORMED },
	{ TABLES("\"functionTable\":[{\"startLine\":@\"9223372036854775808\"}]"),
	  "a number that is not whole, or out of range", CAIRN_MALFORMED },
	{ "{\"resourceProfiles\":[{\"resource\":{\"droppedAttributesCount\":@4294967296}}]}",
	  "a number that is not whole, or out of range", CAIRN_MALFORMED },
	{ VALUE("\"boolValue\":@\"true\""), "expected true or false", CAIRN_MALFORMED },
	{ VALUE("\"doubleValue\":@\"inf\""), "expected a number", CAIRN_MALFORMED },
	{ VALUE("\"bytesValue\":@\"A*\""), "expected base64", CAIRN_MALFORMED },
	{ VALUE("\"bytesValue\":@\"AhgQ AhgQ\""), "expected base64", CAIRN_MALFORMED },
	{ TABLES("\"linkTable\":[{\"traceId\":@\"abc\"}]"), "expected an ID in hexadecimal digits",
	  CAIRN_MALFORMED },
	{ TABLES("\"linkTable\":[{\"spanId\":@\"0g\"}]"), "expected an ID in hexadecimal digits",
	  CAIRN_MALFORMED },
	{ PROFILE("\"periodType\":{\"aggregationTemporality\":@\"NEVER\"}"),
	  "an unknown temporality", CAIRN_MALFORMED },
	{ "{}@{}", "more text follows the JSON value", CAIRN_MALFORMED },
	{ "{\"x\":[1,@]}", "expected a digit", CAIRN_MALFORMED },
	{ "@", "the text ends inside a JSON value", CAIRN_TRUNCATED },
	{ "{\"x\":[@", "the text ends inside a JSON value", CAIRN_TRUNCATED },
};

START_TEST(refuses)
{
	char text[256];
	const char *whole = faults[_i].text, *place = strchr(whole, '@');
	struct cairn_fault fault = { .what = "" };
	struct sink out = { .size = 0 };
	uint8_t buffer[CAPACITY];
	uint64_t unknown = 0;

	snprintf(text, sizeof(text), "%.*s%s", (int)(place - whole), whole, place + 1);
	const struct cairn_bytes bytes = { (const uint8_t *)text, strlen(text) };
	const enum cairn_status status =
		translate(unit_exact(bytes), buffer, &out, &unknown, &fault);
	ck_assert_msg(status == faults[_i].status && strcmp(fault.what, faults[_i].what) == 0 &&
	                      fault.offset == (uint64_t)(place - whole),
	              "%s: %s: %s at %llu", whole, cairn_status_name(status), fault.what,
	              (unsigned long long)fault.offset);
}
END_TEST

/* A message of 200 bytes has two bytes of length, and so have those around it. */
START_TEST(moves_what_is_long)
{
	char text[512];
	uint8_t buffer[CAPACITY];
	struct sink out = { .size = 0 };
	struct cairn_fault fault = { .what = "" };
	uint64_t unknown;

	snprintf(text, sizeof(text), TABLES("\"stringTable\":[\"%0200d\",\"x\"]"), 0);
	const struct cairn_bytes bytes = { (const uint8_t *)text, strlen(text) };
	ck_assert(translate(unit_exact(bytes), buffer, &out, &unknown, &fault) == CAIRN_OK);
	ck_assert_uint_eq(out.size, 3 + 3 + 200 + 3);
	ck_assert_int_eq(memcmp(buffer,
	                        "\x12\xce\1\x2a\xc8\1"
	                        "00",
	                        8),
	                 0);
	ck_assert_int_eq(memcmp(buffer + 205, "0\x2a\1x", 4), 0);
}
END_TEST

START_TEST(bounds_depth_and_digits)
{
	char text[8 * JSON_READER_DEPTH_MAX], digits[OTLP_JSON_DOUBLE_MAX + 2];
	struct cairn_fault fault = { .what = "" };
	struct sink out = { .size = 0 };
	uint8_t buffer[CAPACITY];
	uint64_t unknown, bits;

	memset(text, '[', sizeof(text));
	memcpy(text, "{\"x\":", 5);
	const struct cairn_bytes deep = { (const uint8_t *)text, sizeof(text) };
	ck_assert(translate(unit_exact(deep), buffer, &out, &unknown, &fault) == CAIRN_UNSUPPORTED);
	ck_assert_uint_eq(fault.offset, 5 + JSON_READER_DEPTH_MAX - 1);
	memset(digits, '1', sizeof(digits));
	digits[1] = '.';
	struct cairn_bytes number = { (const uint8_t *)digits, OTLP_JSON_DOUBLE_MAX };
	ck_assert_ptr_null(otlp_json_double(unit_exact(number), &bits));
	number.size++;
	ck_assert_str_eq(otlp_json_double(unit_exact(number), &bits),
	                 "a number with too many digits");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("otlp_json");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, translates, 0, COUNT(rows));
	tcase_add_loop_test(tc, refuses, 0, COUNT(faults));
	tcase_add_loop_test(tc, writes_back, 0, COUNT(rows));
	tcase_add_loop_test(tc, writes, 0, COUNT(messages));
	tcase_add_loop_test(tc, writes_nothing_damaged, 0, COUNT(damaged));
	tcase_add_test(tc, bounds_depth_of_values);
	tcase_add_test(tc, moves_what_is_long);
	tcase_add_test(tc, bounds_depth_and_digits);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
