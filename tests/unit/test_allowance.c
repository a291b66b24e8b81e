/* SPDX-License-Identifier: MIT */
/* What an input is worth: the last step and the one past it, and sums past 64 bits. */
#include "unit.h"

#include "base/allowance.h"

static const struct {
	const char *name;
	uint64_t least, times, size, more, left;
} rows[] = {
	{ "nothing", 0, 0, 0, 0, 0 },
	{ "an empty input", 7, 3, 0, 0, 7 },
	{ "an input", 7, 3, 5, 0, 22 },
	{ "two inputs", 7, 3, 5, 1, 25 },
	{ "worth nothing by its size", 7, 0, UINT64_MAX, UINT64_MAX, 7 },
	{ "the largest product", 0, 3, UINT64_MAX / 3, 0, UINT64_MAX / 3 * 3 },
	{ "a product past 64 bits", 0, 3, UINT64_MAX / 3 + 1, 0, UINT64_MAX },
	{ "a sum past 64 bits", 9, 1, UINT64_MAX - 8, 0, UINT64_MAX },
	{ "a second input past 64 bits", 9, 2, UINT64_MAX / 2 - 10, UINT64_MAX, UINT64_MAX },
};

START_TEST(ends_past_the_limit)
{
	struct allowance a = allowance_of(rows[_i].least, rows[_i].times, rows[_i].size);

	allowance_add(&a, rows[_i].times, rows[_i].more);
	ck_assert_msg(a.left == rows[_i].left, "%s", rows[_i].name);
	ck_assert(allowance_draw(&a, a.left / 2));
	ck_assert(allowance_draw(&a, a.left));
	ck_assert(allowance_draw(&a, 0) && !a.over);
	ck_assert(!allowance_draw(&a, 1) && a.over);
	ck_assert(!allowance_draw(&a, 0));
}
END_TEST

/* An amount that is too much takes nothing, and smaller ones are refused from then on. */
START_TEST(is_over_for_good)
{
	struct allowance a = allowance_of(10, 0, 0);

	ck_assert(allowance_draw(&a, 4));
	ck_assert(!allowance_draw(&a, UINT64_MAX));
	ck_assert(!allowance_draw(&a, 1));
	ck_assert(a.over && a.left == 6);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("allowance");
	TCase *tests = tcase_create("allowance");

	tcase_add_loop_test(tests, ends_past_the_limit, 0, COUNT(rows));
	tcase_add_test(tests, is_over_for_good);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
