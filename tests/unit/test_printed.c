/* SPDX-License-Identifier: MIT */
/* How much text a command prints of its files: at the limit, and one byte past it. */
#include "unit.h"

#include "cli/front/printed.h"
#include "output/json.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name;
	uint64_t first, second; /* sizes of two files */
	uint64_t limit;
} rows[] = {
	{ "no file", 0, 0, PRINTED_LEAST },
	{ "one file", 1000, 0, PRINTED_LEAST + 1000 * PRINTED_TIMES },
	{ "two files", 1000, 7, PRINTED_LEAST + 1007 * PRINTED_TIMES },
	{ "files of all addresses", 1000, UINT64_MAX, UINT64_MAX },
	{ "a sum that wraps", 1000, UINT64_MAX / PRINTED_TIMES, UINT64_MAX },
};

START_TEST(ends_past_the_limit)
{
	struct allowance printed = printed_of(rows[_i].first);

	printed_credit(&printed, rows[_i].second);
	ck_assert(printed_take(&printed, rows[_i].limit));
	ck_assert(printed_take(&printed, 0));
	ck_assert(!printed.over);
	ck_assert(!printed_take(&printed, 1));
	ck_assert(printed.over);
	ck_assert(!printed_take(&printed, 0));
}
END_TEST

START_TEST(prints_no_text_past_it)
{
	struct allowance printed = { .left = 5 };
	const struct cairn_bytes name = BYTES("name");
	struct cairn_location location = { .function = name, .directory = name, .file = name };

	ck_assert_uint_eq(printed_text(&printed, name).size, 4);
	struct cairn_location bounded = printed_location(&printed, &location);
	ck_assert(bounded.function.size + bounded.directory.size + bounded.file.size == 0);
	ck_assert_uint_eq(printed_text(&printed, (struct cairn_bytes)BYTES("a")).size, 0);
	ck_assert(printed.over);
}
END_TEST

/* What the outputs make of a text is never longer than what is counted for it. */
static const struct {
	const char *name;
	struct cairn_bytes text;
	uint64_t counted;
} texts[] = {
	{ "letters", BYTES("name"), 4 },
	{ "a blank, which is \\x20 in a word", BYTES("a b"), 6 },
	{ "a quote and a backslash", BYTES("\"\\"), 4 },
	{ "control characters", BYTES("\x01\x7f"), 12 },
	{ "a letter of two bytes", BYTES("\xc3\xa4"), 2 },
	{ "bytes that are no character", BYTES("\xff\x80"), 12 },
	{ "a control character of two bytes", BYTES("\xc2\x85"), 8 },
	{ "one that turns the direction of writing", BYTES("\xe2\x80\xae"), 12 },
	{ "nothing", { NULL, 0 }, 0 },
};

static size_t measure_output(void (*print)(FILE *out, struct cairn_bytes text),
                             struct cairn_bytes text)
{
	char *data = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&data, &size);

	print(out, text);
	ck_assert_int_eq(fclose(out), 0);
	free(data);
	return size;
}

static void print_quoted(FILE *out, struct cairn_bytes text)
{
	struct json json = json_to(out);

	json_text(&json, NULL, text);
}

START_TEST(counts_what_is_printed)
{
	const struct cairn_bytes text = texts[_i].text;

	ck_assert_uint_eq(escaped_size(text), texts[_i].counted);
	ck_assert_uint_le(measure_output(print_text, text), texts[_i].counted);
	ck_assert_uint_le(measure_output(print_quoted, text),
	                  texts[_i].counted + 3); /* quotes, and the end of the line */
	if (text.size > 0)
		ck_assert_uint_le(measure_output(print_word, text), texts[_i].counted);
}
END_TEST

START_TEST(grants_more_for_each_answer)
{
	struct allowance printed = { .left = 0, .over = true };

	printed_begin_answer(&printed);
	ck_assert(printed_take(&printed, PRINTED_ANSWER));
	ck_assert(!printed_take(&printed, 1));
}
END_TEST

/* Many records share a long text: what does not fit any more costs nothing, and is not looked at. */
START_TEST(measures_no_text_past_it)
{
	struct allowance printed = { .left = 1, .over = true };
	const struct cairn_bytes text = { (const uint8_t *)(uintptr_t)16, 1 << 20 };
	const struct cairn_location location = { .function = text,
		                                 .directory = text,
		                                 .file = text };

	ck_assert_uint_eq(printed_text(&printed, text).size, 0);
	ck_assert_uint_eq(printed_location(&printed, &location).function.size, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("printed");
	TCase *tests = tcase_create("printed");

	tcase_add_loop_test(tests, ends_past_the_limit, 0, COUNT(rows));
	tcase_add_test(tests, prints_no_text_past_it);
	tcase_add_loop_test(tests, counts_what_is_printed, 0, COUNT(texts));
	tcase_add_test(tests, measures_no_text_past_it);
	tcase_add_test(tests, grants_more_for_each_answer);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
