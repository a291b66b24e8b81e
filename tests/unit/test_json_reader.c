/* SPDX-License-Identifier: MIT */
/* The JSON reader: what is refused and where, members, texts. */
#include "unit.h"

#include "base/json_reader.h"

#include <stdio.h>

static const struct {
	const char *name;
	struct cairn_bytes text;
	enum cairn_status status;
	uint64_t offset;
} documents[] = {
	{ "object", BYTES("{\"a\":1}"), CAIRN_OK, 0 },
	{ "white everywhere", BYTES(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : null } \n"), CAIRN_OK,
	  0 },
	{ "empty ones", BYTES("[{},[],\"\"]"), CAIRN_OK, 0 },
	{ "numbers", BYTES("[0,-1,1.5,1e3,1E+3,-0.25e-7]"), CAIRN_OK, 0 },
	{ "words", BYTES("[true,false,null]"), CAIRN_OK, 0 },
	{ "escapes", BYTES("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\""), CAIRN_OK, 0 },
	{ "nothing", BYTES(""), CAIRN_TRUNCATED, 0 },
	{ "white alone", BYTES("  "), CAIRN_TRUNCATED, 2 },
	{ "no JSON", BYTES("<html>"), CAIRN_MALFORMED, 0 },
	{ "two values", BYTES("{} {}"), CAIRN_MALFORMED, 3 },
	{ "a word cut", BYTES("tru"), CAIRN_TRUNCATED, 3 },
	{ "a wrong word", BYTES("nulk"), CAIRN_MALFORMED, 3 },
	{ "a string cut", BYTES("\"ab"), CAIRN_TRUNCATED, 3 },
	{ "a control", BYTES("\"a\nb\""), CAIRN_MALFORMED, 2 },
	{ "a wrong escape", BYTES("\"a\\x\""), CAIRN_MALFORMED, 3 },
	{ "an escape of NUL", BYTES("\"a\\\0\""), CAIRN_MALFORMED, 3 },
	{ "an escape cut", BYTES("\"\\"), CAIRN_TRUNCATED, 2 },
	{ "a wrong digit", BYTES("\"\\u00g0\""), CAIRN_MALFORMED, 5 },
	{ "digits cut", BYTES("\"\\u00"), CAIRN_TRUNCATED, 5 },
	{ "a number after 0", BYTES("01"), CAIRN_MALFORMED, 1 },
	{ "a sign alone", BYTES("-"), CAIRN_TRUNCATED, 1 },
	{ "no fraction", BYTES("1.x"), CAIRN_MALFORMED, 2 },
	{ "no exponent", BYTES("[1e]"), CAIRN_MALFORMED, 3 },
	{ "a comma too many", BYTES("[1,]"), CAIRN_MALFORMED, 3 },
	{ "a member too few", BYTES("{\"a\":1,}"), CAIRN_MALFORMED, 7 },
	{ "no comma", BYTES("[1 2]"), CAIRN_MALFORMED, 3 },
	{ "no colon", BYTES("{\"a\" 1}"), CAIRN_MALFORMED, 5 },
	{ "no name", BYTES("{1:1}"), CAIRN_MALFORMED, 1 },
	{ "no value", BYTES("{\"a\":}"), CAIRN_MALFORMED, 5 },
	{ "the wrong bracket", BYTES("[1}"), CAIRN_MALFORMED, 2 },
	{ "a bracket that stays open", BYTES("[[1]"), CAIRN_TRUNCATED, 4 },
};

START_TEST(checks_documents)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct json_reader_value value;
	enum cairn_status status = json_reader_open(unit_exact(documents[_i].text), &value, &fault);

	ck_assert_msg(status == documents[_i].status && fault.offset == documents[_i].offset,
	              "%s: %s at %llu", documents[_i].name, cairn_status_name(status),
	              (unsigned long long)fault.offset);
}
END_TEST

START_TEST(goes_over_arrays)
{
	static const struct {
		const char *text, *elements;
	} arrays[] = {
		{ "[]", "" },
		{ "[ ]", "" },
		{ "[1]", "1;" },
		{ " [ 1 , \"a,]\" , {\"b\":[2]} ] ", "1;a,];{\"b\":[2]};" },
		{ "[[],[3]]", "[];[3];" },
		{ "{\"a\":1}", "" },
		{ "7", "" },
	};
	struct json_reader_value array, element;
	struct cairn_fault fault;

	for (size_t i = 0; i < COUNT(arrays); i++) {
		const struct cairn_bytes text = { (const uint8_t *)arrays[i].text,
			                          strlen(arrays[i].text) };
		char all[64] = "";
		ck_assert_int_eq(json_reader_open(unit_exact(text), &array, &fault), CAIRN_OK);
		for (size_t at = 0; json_reader_element(&array, &at, &element);) {
			strncat(all, (const char *)element.text.data, element.text.size);
			strcat(all, ";");
		}
		ck_assert_str_eq(all, arrays[i].elements);
	}
}
END_TEST

START_TEST(bounds_the_depth)
{
	struct cairn_fault fault;
	struct json_reader_value value;
	char text[2 * JSON_READER_DEPTH_MAX + 2];

	memset(text, '[', JSON_READER_DEPTH_MAX);
	memset(text + JSON_READER_DEPTH_MAX, ']', JSON_READER_DEPTH_MAX);
	struct cairn_bytes in = { (const uint8_t *)text, 2 * JSON_READER_DEPTH_MAX };
	ck_assert_int_eq(json_reader_open(in, &value, &fault), CAIRN_OK);
	memset(text, '[', sizeof(text));
	in.size = sizeof(text);
	ck_assert_int_eq(json_reader_open(in, &value, &fault), CAIRN_UNSUPPORTED);
	ck_assert_uint_eq(fault.offset, JSON_READER_DEPTH_MAX);
}
END_TEST

/* In one pass, the last of a name, in any order. */
START_TEST(finds_several_members)
{
	static const char *const names[] = { "b", "none", "a" };
	const struct cairn_bytes text = BYTES("{\"a\":1,\"c\":{\"b\":0},\"b\":\"\",\"a\":2}");
	struct json_reader_value top, value[COUNT(names)];
	struct cairn_fault fault;

	ck_assert_int_eq(json_reader_open(unit_exact(text), &top, &fault), CAIRN_OK);
	json_reader_members(&top, names, COUNT(names), value);
	ck_assert(value[0].kind == JSON_READER_STRING && value[0].text.data &&
	          value[0].text.size == 0);
	ck_assert(!value[1].text.data && value[1].text.size == 0);
	ck_assert(value[2].kind == JSON_READER_NUMBER && *value[2].text.data == '2');
	top = value[2];
	json_reader_members(&top, names, COUNT(names), value);
	ck_assert(!value[0].text.data && !value[2].text.data);
}
END_TEST

/* The document and its members, and an element and its, are read once, and are what they are when they are read one by one. */
START_TEST(finds_members_at_once)
{
	static const char *const names[] = { "b", "none", "a", "d" };
	const struct cairn_bytes text = BYTES(
		" [{\"a\":[{\"a\":0}],\"d\":{\"b\":0},\"b\":\"x\",\"a\":[2]},[],3,{\"d\":true}] ");
	struct json_reader_value top, one, element, value[COUNT(names)], same[COUNT(names)];
	struct cairn_fault fault;
	size_t at = 0, same_at = 0;

	ck_assert_int_eq(json_reader_open(unit_exact(text), &top, &fault), CAIRN_OK);
	for (size_t i = 0; i < 4; i++) {
		ck_assert(json_reader_element_members(&top, &at, &element, names, COUNT(names),
		                                      value));
		ck_assert(json_reader_element(&top, &same_at, &one));
		ck_assert(element.kind == one.kind && element.text.data == one.text.data &&
		          element.text.size == one.text.size);
		ck_assert_uint_eq(at, same_at);
		json_reader_members(&one, names, COUNT(names), same);
		for (size_t k = 0; k < COUNT(names); k++)
			ck_assert(value[k].kind == same[k].kind &&
			          value[k].text.data == same[k].text.data &&
			          value[k].text.size == same[k].text.size);
		ck_assert(i != 0 || (value[2].text.size == 3 && value[2].text.data[1] == '2'));
		ck_assert(i != 0 || (value[3].text.size == 7 && value[0].text.size == 1));
	}
	ck_assert(!json_reader_element_members(&top, &at, &element, names, COUNT(names), value));
	ck_assert_int_eq(json_reader_open_members((struct cairn_bytes)BYTES("{\"a\":[1],\"b\":2"),
	                                          &top, names, COUNT(names), value, &fault),
	                 CAIRN_TRUNCATED);
	ck_assert_uint_eq(fault.offset, 14);
	ck_assert_int_eq(json_reader_open_members((struct cairn_bytes)BYTES("{\"a\":[1],\"\":2} "),
	                                          &top, names, COUNT(names), value, &fault),
	                 CAIRN_OK);
	ck_assert(value[2].text.size == 3 && !value[0].text.data);
	ck_assert(top.kind == JSON_READER_OBJECT && top.text.size == 14);
	ck_assert_int_eq(json_reader_open_members((struct cairn_bytes)BYTES("[\"a\",1]"), &top,
	                                          names, COUNT(names), value, &fault),
	                 CAIRN_OK);
	ck_assert(!value[2].text.data);
}
END_TEST

START_TEST(reads_whole_numbers)
{
	static const struct {
		const char *text;
		bool whole;
		uint64_t number;
	} rows[] = {
		{ "0", true, 0 },
		{ "1234", true, 1234 },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 7 },
		{ "184467440737095516150", false, 7 },
		{ "-1", false, 7 },
		{ "1.0", false, 7 },
		{ "1e3", false, 7 },
		{ "\"1\"", false, 7 },
		{ "true", false, 7 },
	};
	struct json_reader_value value;
	struct cairn_fault fault;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cairn_bytes text = { (const uint8_t *)rows[i].text,
			                          strlen(rows[i].text) };
		uint64_t number = 7;
		ck_assert_int_eq(json_reader_open(unit_exact(text), &value, &fault), CAIRN_OK);
		ck_assert_msg(json_reader_whole(&value, &number) == rows[i].whole, "%s",
		              rows[i].text);
		ck_assert_uint_eq(number, rows[i].number);
	}
}
END_TEST

static const struct {
	const char *text, *steps;
} walks[] = {
	{ "7", "7;" },
	{ " {} ", "{};" },
	{ "[]", "[];" },
	{ "[1,\"a\",[true],null]", "[1;a;[true;];null;];" },
	{ "{\"a\":1,\"b\":{\"c\":[{}]},\"d\":\"x\"}", "{a=1;b={c=[{};];};d=x;};" },
	{ "{\"skip\":{\"c\":[{}]},\"skip\":1,\"skip\":[],\"d\":[0]}",
	  "{skip=skip=1;skip=d=[0;];};" },
};

/* What is in a member of this name is passed over. */
static bool is_skipped(struct cairn_bytes name)
{
	return name.size == 4 && memcmp(name.data, "skip", 4) == 0;
}

START_TEST(walks_documents)
{
	const struct cairn_bytes text = { (const uint8_t *)walks[_i].text, strlen(walks[_i].text) };
	struct json_walk walk = json_walk_open(unit_exact(text));
	struct json_step step;
	char all[128] = "";

	while (json_walk_next(&walk, &step)) {
		const bool is_object = step.kind == JSON_READER_OBJECT;
		char *end = all + strlen(all);
		ck_assert_uint_le(step.at, walk.in.at);
		end += snprintf(end, 32, "%.*s%s", (int)step.name.size,
		                (const char *)step.name.data, step.name.size > 0 ? "=" : "");
		if (json_step_opens(&step) && is_skipped(step.name))
			json_walk_skip(&walk, &step);
		else if (json_step_opens(&step))
			snprintf(end, 32, "%s", is_object ? "{" : "[");
		else if (step.ends)
			snprintf(end, 32, "%s", is_object ? "};" : "];");
		else
			snprintf(end, 32, "%.*s;", (int)step.text.size,
			         (const char *)step.text.data);
	}
	ck_assert(reader_ok(&walk.in));
	ck_assert_str_eq(all, walks[_i].steps);
}
END_TEST

static const struct {
	const char *document, *name;
	bool found;
	const char *text;
} members[] = {
	{ "{\"a\":\"x\",\"b\":\"y\"}", "b", true, "y" },
	{ "{\"a\":\"x\",\"a\":\"y\"}", "a", true, "y" },
	{ "{\"n\":{\"a\":\"in\"},\"a\":\"out\"}", "a", true, "out" },
	{ "{\"n\":{\"a\":\"in\"}}", "a", false, "" },
	{ "{\"\\u0061b\":\"x\"}", "ab", true, "x" },
	{ "{\"a\\u0062\":\"x\"}", "ab", true, "x" },
	{ "{\"a\\/\":\"x\",\"ab\":\"y\"}", "a/", true, "x" },
	{ "{\"a\\u0062\":\"x\"}", "a", false, "" },
	{ "{\"a\\u0062\":\"x\"}", "abc", false, "" },
	{ "{\"a\\u0000\":\"x\"}", "a", false, "" },
	{ "{\"\\ud83d\\ude00\":\"x\"}", "\xf0\x9f\x98\x80", true, "x" },
	{ "{}", "a", false, "" },
	{ "[\"a\"]", "a", false, "" },
	{ "{\"a\":-12.5e1}", "a", true, "-12.5e1" },
	{ "{\"a\":true}", "a", true, "" },
	{ "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t.\"}", "a", true, "\"\\/\b\f\n\r\t." },
	{ "{\"a\":\"\\u00e4\\u20AC\\ud83d\\ude00\"}", "a", true,
	  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
	{ "{\"a\":\"\\ud83d|\\ude00|\\ud83d\\u0041\"}", "a", true,
	  "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd"
	  "A" },
	{ "{\"a\":\"x\\u0000y\"}", "a", true, "x\xef\xbf\xbdy" },
	{ "{\"a\":\"x\xffy\xc3\"}", "a", true, "x\xef\xbf\xbdy\xef\xbf\xbd" },
	{ "{\"a\":\"\xed\xa0\x80\"}", "a", true, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "{\"a\":\"0123456789abcdefghijklmnopqrst\"}", "a", true, "0123456789abcdefghijklm" },
	{ "{\"a\":\"0123456789abcdefghijkl\xc3\xa4\"}", "a", true, "0123456789abcdefghijkl" },
	{ "{\"a\":\"0123456789abcdefghijkl\\u00e4\"}", "a", true, "0123456789abcdefghijkl" },
};

START_TEST(finds_members)
{
	const uint8_t *data = (const uint8_t *)members[_i].document;
	struct cairn_fault fault;
	struct json_reader_value top, value;
	char text[24] = "";

	struct cairn_bytes in =
		unit_exact((struct cairn_bytes){ data, strlen(members[_i].document) });
	ck_assert_int_eq(json_reader_open(in, &top, &fault), CAIRN_OK);
	bool found = json_reader_member(&top, members[_i].name, &value);
	ck_assert_int_eq(found, members[_i].found);
	if (found)
		json_reader_text(&value, text, sizeof(text));
	ck_assert_str_eq(text, members[_i].text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jsonin");
	TCase *tcase = tcase_create("jsonin");

	tcase_add_loop_test(tcase, checks_documents, 0, COUNT(documents));
	tcase_add_test(tcase, bounds_the_depth);
	tcase_add_test(tcase, goes_over_arrays);
	tcase_add_test(tcase, finds_several_members);
	tcase_add_test(tcase, finds_members_at_once);
	tcase_add_test(tcase, reads_whole_numbers);
	tcase_add_loop_test(tcase, finds_members, 0, COUNT(members));
	tcase_add_loop_test(tcase, walks_documents, 0, COUNT(walks));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
