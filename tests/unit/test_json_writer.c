/* SPDX-License-Identifier: MIT */
/* Tests the JSON of the GDB module: commas, keys, and strings that the target chose. */
#include "common/base/json_writer.h"

#include "unit.h"

static struct text text;

static void teardown(void)
{
	text_finish(&text);
}

START_TEST(separates_values)
{
	static const uint8_t id[] = { 0xca, 0x1f };
	struct json_writer json = json_writer_to(&text);

	json_begin_object(&json, NULL);
	json_begin_array(&json, "empty");
	json_end_array(&json);
	json_begin_array(&json, "list");
	json_begin_object(&json, NULL);
	json_end_object(&json);
	json_begin_object(&json, NULL);
	json_add_null(&json, "name");
	json_add_bool(&json, "cfi", false);
	json_end_object(&json);
	json_add_number(&json, NULL, UINT64_MAX);
	json_end_array(&json);
	json_add_address(&json, "low", 0x401000);
	json_add_hex(&json, "build_id", (struct cairn_bytes){ id, sizeof(id) });
	json_add_hex(&json, "none", (struct cairn_bytes){ id, 0 });
	json_end_object(&json);
	ck_assert_str_eq(text.data,
	                 "{\"empty\":[],\"list\":[{},{\"name\":null,\"cfi\":false},"
	                 "18446744073709551615],\"low\":\"0x401000\",\"build_id\":\"ca1f\","
	                 "\"none\":\"\"}");
}
END_TEST

static const struct row {
	const char *string, *json;
} rows[] = {
	{ "", "\"\"" },
	{ "a/b.c", "\"a/b.c\"" },
	{ "\"\\", "\"\\\"\\\\\"" },
	{ "\n\033\177", "\"\\u000a\\u001b\\u007f\"" },
	{ "\xc2\x9b", "\"\\u009b\"" },
	{ "a\xe2\x80\xae.\xef\xbb\xbf", "\"a\\u202e.\\ufeff\"" },
	{ "\xc3\xa9 \xf0\x9f\x92\xa9", "\"\xc3\xa9 \xf0\x9f\x92\xa9\"" },
	{ "\xff.", "\"\xef\xbf\xbd.\"" },
	{ "\xc3", "\"\xef\xbf\xbd\"" },
	{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
};

START_TEST(escapes_strings)
{
	struct json_writer json = json_writer_to(&text);
	size_t size = strlen(rows[_i].string);

	json_add_bytes(&json, NULL,
	               unit_exact((struct cairn_bytes){ (const uint8_t *)rows[_i].string, size }));
	ck_assert_str_eq(text.data, rows[_i].json);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_writer");
	TCase *tcase = tcase_create("json_writer");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, separates_values);
	tcase_add_loop_test(tcase, escapes_strings, 0, COUNT(rows));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
