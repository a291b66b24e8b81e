/* SPDX-License-Identifier: MIT */
/* How much text a command prints of its files: at the limit, and one byte past it. */
#include "unit.h"

#include "cli/front/printed.h"

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

START_TEST(grants_more_for_each_answer)
{
	struct allowance printed = { .left = 0, .over = true };

	printed_begin_answer(&printed);
	ck_assert(printed_take(&printed, PRINTED_ANSWER));
	ck_assert(!printed_take(&printed, 1));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("printed");
	TCase *tests = tcase_create("printed");

	tcase_add_loop_test(tests, ends_past_the_limit, 0, COUNT(rows));
	tcase_add_test(tests, prints_no_text_past_it);
	tcase_add_test(tests, grants_more_for_each_answer);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
