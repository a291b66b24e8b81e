/* SPDX-License-Identifier: MIT */
/* Tests the reader of Swift's JSON backtraces and its base64 decoder. */
#include "base/encoding.h"
#include "formats/codable.h"
#include "unit.h"

#include <stdio.h>

enum { TEXT = 1024 };

static void add_member(char *text, const char *name, const struct codable_member *member)
{
	size_t used = strlen(text);

	if (member->there)
		snprintf(text + used, TEXT - used, " %s=%.*s", name, (int)member->text.size,
		         (const char *)member->text.data);
}

/* An object as text: where it begins, and the members that are there. */
static void add_object(char *text, const struct codable_object *object)
{
	size_t used = strlen(text);

	snprintf(text + used, TEXT - used, "%zu", object->offset);
	add_member(text, "a", &object->architecture);
	add_member(text, "b", &object->backtrace);
	add_member(text, "i", &object->image_map);
	strcat(text, "\n");
}

#define OBJECT "{\"backtrace\":\"AA\"}"

static const struct {
	const char *name;
	struct cairn_bytes input;
	const char *objects;
	enum cairn_status status;
	size_t fault;
} rows[] = {
	{ "nothing", BYTES(""), "", CAIRN_OK, 0 },
	{ "all members", BYTES("{\"architecture\":\"x\",\"backtrace\":\"AA\",\"imageMap\":\"BB\"}"),
	  "0 a=x b=AA i=BB\n", CAIRN_OK, 0 },
	{ "another order, and blanks",
	  BYTES(" {\t\"imageMap\" :\n\"BB\" , \"backtrace\" \r: \"AA\" } "), "1 b=AA i=BB\n",
	  CAIRN_OK, 0 },
	{ "empty", BYTES("{\"backtrace\":\"\"}"), "0 b=\n", CAIRN_OK, 0 },
	{ "escapes stay", BYTES("{\"backtrace\":\"A\\/\\\"\\\\\"}"), "0 b=A\\/\\\"\\\\\n", CAIRN_OK,
	  0 },
	{ "an image map alone", BYTES("{\"imageMap\":\"BB\"}"), "0 i=BB\n", CAIRN_OK, 0 },
	{ "neither", BYTES("{\"architecture\":\"x\"}"), "", CAIRN_OK, 0 },
	{ "null", BYTES("{\"imageMap\":null,\"backtrace\":\"AA\"}"), "0 b=AA\n", CAIRN_OK, 0 },
	{ "null at the end", BYTES("{\"backtrace\":\"AA\",\"imageMap\":null}"), "0 b=AA\n",
	  CAIRN_OK, 0 },
	{ "a number", BYTES("{\"backtrace\":1,\"x\":\"AA\"}"), "", CAIRN_OK, 0 },
	{ "an array", BYTES("{\"backtrace\":[\"AA\"]}"), "", CAIRN_OK, 0 },
	{ "twice: the last", BYTES("{\"backtrace\":\"AA\",\"backtrace\":\"BB\"}"), "0 b=BB\n",
	  CAIRN_OK, 0 },
	{ "a value of that name", BYTES("{\"x\":\"backtrace\",\"y\":\"AA\"}"), "", CAIRN_OK, 0 },
	{ "other members", BYTES("{\"x\":{\"y\":[1,\"}\"]},\"backtrace\":\"AA\",\"z\":true}"),
	  "0 b=AA\n", CAIRN_OK, 0 },
	{ "inside a record", BYTES("{\"at\":1,\"error\":" OBJECT ",\"level\":2}"), "16 b=AA\n",
	  CAIRN_OK, 0 },
	{ "in a backtrace", BYTES("{\"backtrace\":\"BB\",\"cause\":" OBJECT "}"),
	  "26 b=AA\n0 b=BB\n", CAIRN_OK, 0 },
	{ "an array of them", BYTES("[" OBJECT "," OBJECT "]"), "1 b=AA\n20 b=AA\n", CAIRN_OK, 0 },
	{ "one a line", BYTES(OBJECT "\n" OBJECT "\n"), "0 b=AA\n19 b=AA\n", CAIRN_OK, 0 },
	{ "other text", BYTES("12:00 it's \"so\n12:01 " OBJECT " done"), "21 b=AA\n", CAIRN_OK, 0 },
	{ "other brackets", BYTES("]} x[0] {y\n" OBJECT), "11 b=AA\n", CAIRN_OK, 0 },
	{ "cut in a string", BYTES(OBJECT "{\"backtrace\":\"A"), "0 b=AA\n", CAIRN_TRUNCATED, 31 },
	{ "cut in a key", BYTES("{\"architecture\":\"x\",\"back"), "", CAIRN_TRUNCATED, 20 },
	{ "cut after an escape", BYTES("{\"backtrace\":\"A\\"), "", CAIRN_TRUNCATED, 13 },
	{ "cut behind a member", BYTES("[{\"backtrace\":\"AA\""), "", CAIRN_TRUNCATED, 1 },
	{ "cut behind a key", BYTES("{\"backtrace\":"), "", CAIRN_TRUNCATED, 0 },
	{ "a cut of no interest", BYTES("{\"x\":1"), "", CAIRN_OK, 0 },
};

START_TEST(finds_objects)
{
	struct codable_object object;
	struct codable in;
	char text[TEXT] = "";

	codable_open(&in, unit_exact(rows[_i].input));
	while (codable_next(&in, &object))
		add_object(text, &object);
	ck_assert_msg(strcmp(text, rows[_i].objects) == 0, "%s:\n%s", rows[_i].name, text);
	ck_assert_msg(in.fault.status == rows[_i].status, "%s", rows[_i].name);
	ck_assert_msg(in.fault.offset == rows[_i].fault, "%s: fault at %zu", rows[_i].name,
	              (size_t)in.fault.offset);
	ck_assert_int_eq(in.fault.what != NULL, in.fault.status != CAIRN_OK);
}
END_TEST

/* An object just as deep as is looked at, and one deeper. */
START_TEST(bounds_depth)
{
	for (size_t around = CODABLE_DEPTH_MAX - 1; around <= CODABLE_DEPTH_MAX; around++) {
		char text[4 * CODABLE_DEPTH_MAX];
		struct codable_object object;
		struct codable in;
		memset(text, '[', around);
		strcpy(text + around, OBJECT);
		memset(text + around + strlen(OBJECT), ']', around);
		size_t size = 2 * around + strlen(OBJECT);
		codable_open(&in, (struct cairn_bytes){ (const uint8_t *)text, size });
		ck_assert_int_eq(codable_next(&in, &object), around < CODABLE_DEPTH_MAX);
		ck_assert(!codable_next(&in, &object));
		ck_assert_int_eq(in.fault.status, CAIRN_OK);
	}
}
END_TEST

enum { BASE64 = BASE64_DAMAGED, WHITE = BASE64_WHITESPACE };

static const struct {
	const char *name;
	struct cairn_bytes input, bytes;
	unsigned problems;
	size_t offset;
} base64_rows[] = {
	{ "nothing", BYTES(""), BYTES(""), 0, 0 },
	{ "one byte", BYTES("Ag"), BYTES("\2"), 0, 0 },
	{ "two bytes", BYTES("AhA"), BYTES("\2\20"), 0, 0 },
	{ "three bytes", BYTES("AhgQ"), BYTES("\2\30\20"), 0, 0 },
	{ "padded once", BYTES("AhA="), BYTES("\2\20"), 0, 0 },
	{ "padded twice", BYTES("AhgQAA=="), BYTES("\2\30\20\0"), 0, 0 },
	{ "padded short", BYTES("AhgQAA="), BYTES("\2\30\20\0"), 0, 0 },
	{ "all ones", BYTES("////"), BYTES("\377\377\377"), 0, 0 },
	{ "both alphabets", BYTES("+-/_"), BYTES("\373\357\377"), 0, 0 },
	{ "letters and digits", BYTES("AZaz09"), BYTES("\1\226\263\323"), 0, 0 },
	{ "JSON slash", BYTES("Ahj\\/"), BYTES("\2\30\377"), 0, 0 },
	{ "JSON code", BYTES("\\u0041hgQ"), BYTES("\2\30\20"), 0, 0 },
	{ "JSON code of a slash", BYTES("Ahj\\u002F"), BYTES("\2\30\377"), 0, 0 },
	{ "JSON code beyond", BYTES("AhgQ\\u0141"), BYTES("\2\30\20"), BASE64, 4 },
	{ "JSON code cut", BYTES("AhgQ\\u004"), BYTES("\2\30\20"), BASE64, 4 },
	{ "JSON code of no digits", BYTES("AhgQ\\u00x1"), BYTES("\2\30\20"), BASE64, 4 },
	{ "JSON escape", BYTES("AhgQ\\b"), BYTES("\2\30\20"), BASE64, 4 },
	{ "JSON escape cut", BYTES("AhgQ\\"), BYTES("\2\30\20"), BASE64, 4 },
	{ "JSON line end", BYTES("Ah\\ngQ"), BYTES("\2\30\20"), WHITE, 0 },
	{ "blank", BYTES("Ah gQ"), BYTES("\2\30\20"), WHITE, 0 },
	{ "line ends", BYTES("Ah\r\ngQ\n"), BYTES("\2\30\20"), WHITE, 0 },
	{ "wrong character", BYTES("AhgQ*AA"), BYTES("\2\30\20"), BASE64, 4 },
	{ "wrong in a group", BYTES("AhgQAA*A"), BYTES("\2\30\20"), BASE64, 6 },
	{ "one too many", BYTES("AhgQA"), BYTES("\2\30\20"), BASE64, 4 },
	{ "one, padded", BYTES("AhgQA="), BYTES("\2\30\20"), BASE64, 5 },
	{ "more behind padding", BYTES("AhA=AA"), BYTES("\2\20"), BASE64, 4 },
	{ "blanks behind padding", BYTES("AhA= = "), BYTES("\2\20"), 0, 0 },
	{ "not ASCII", BYTES("\303\244"), BYTES(""), BASE64, 0 },
	{ "zero", BYTES("AhgQ\0"), BYTES("\2\30\20"), BASE64, 4 },
};

START_TEST(decodes_base64)
{
	struct cairn_bytes input = unit_exact(base64_rows[_i].input);
	uint8_t *bytes = malloc(base64_capacity(input));
	const char *name = base64_rows[_i].name;

	ck_assert_ptr_nonnull(bytes);
	struct base64_result result = base64_decode(input, bytes);
	ck_assert_msg(result.size == base64_rows[_i].bytes.size, "%s: %zu bytes", name,
	              result.size);
	ck_assert_msg(memcmp(bytes, base64_rows[_i].bytes.data, result.size) == 0, "%s", name);
	ck_assert_msg(result.problems == base64_rows[_i].problems, "%s: problems %u", name,
	              result.problems);
	ck_assert_msg(result.offset == base64_rows[_i].offset, "%s: at %zu", name, result.offset);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("codable");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, finds_objects, 0, COUNT(rows));
	tcase_add_test(tc, bounds_depth);
	tcase_add_loop_test(tc, decodes_base64, 0, COUNT(base64_rows));
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
