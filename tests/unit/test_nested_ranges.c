/* SPDX-License-Identifier: MIT */
/* Tests ranges that nest: what of a call's ranges is left inside the call around it. */
#include "base/range.h"
#include "unit.h"

enum { RANGES = 4, NO_LIMIT = 100 };

static const struct {
	const char *name;
	struct cairn_range own[RANGES];
	size_t owns, limit, kept;
	struct cairn_range left[RANGES];
} rows[] = {
	{ "inside", { { 10, 20 } }, 1, NO_LIMIT, 1, { { 10, 20 } } },
	{ "in disorder", { { 40, 45 }, { 10, 20 } }, 2, NO_LIMIT, 2, { { 10, 20 }, { 40, 45 } } },
	{ "adjacent ones become one", { { 20, 25 }, { 10, 20 } }, 2, NO_LIMIT, 1, { { 10, 25 } } },
	{ "an empty one", { { 12, 12 } }, 1, NO_LIMIT, 0, { { 0, 0 } } },
	{ "across the gap", { { 0, 100 } }, 1, NO_LIMIT, 2, { { 10, 30 }, { 40, 50 } } },
	{ "outside", { { 30, 40 }, { 50, 60 } }, 2, NO_LIMIT, 0, { { 0, 0 } } },
	{ "more than may be", { { 0, 100 } }, 1, 3, 1, { { 10, 30 } } },
};

START_TEST(cuts_to_the_level_around)
{
	const struct cairn_range around[] = { { 10, 30 }, { 40, 50 } };
	struct nested_level level = { 0, 2 };
	struct nested_ranges nested = { .count = 0 };

	for (size_t i = 0; i < 2; i++)
		ck_assert(nested_ranges_add(&nested, around[i]));
	for (size_t i = 0; i < rows[_i].owns; i++)
		ck_assert(nested_ranges_read(&nested, rows[_i].own[i]));
	struct nested_level inner;
	ck_assert(nested_ranges_cut(&nested, &level, rows[_i].limit, &inner));
	ck_assert_msg(inner.first == 2 && inner.count == rows[_i].kept, "%s: %zu from %zu",
	              rows[_i].name, inner.count, inner.first);
	for (size_t i = 0; i < inner.count; i++) {
		ck_assert_uint_eq(nested.range[inner.first + i].low, rows[_i].left[i].low);
		ck_assert_uint_eq(nested.range[inner.first + i].high, rows[_i].left[i].high);
	}
	nested_ranges_finish(&nested);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("nested ranges");
	TCase *tests = tcase_create("nested ranges");

	tcase_add_loop_test(tests, cuts_to_the_level_around, 0, COUNT(rows));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
