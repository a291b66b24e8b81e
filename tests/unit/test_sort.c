/* SPDX-License-Identifier: MIT */
/* Tests the order of records by their numbers, and the search in it. */
#include "base/sort.h"
#include "unit.h"

#include <stdlib.h>

struct record {
	uint64_t low;
	int depth;
};

/* Numbers that differ by more than an int, and those that are below zero if somebody takes them for signed. */
static const uint64_t sorted[] = { 0,           1,         2,          0x80000000,
	                           0x100000000, INT64_MAX, 1ull << 63, UINT64_MAX };

START_TEST(sorts_by_the_first_number)
{
	struct record records[COUNT(sorted)];

	for (size_t i = 0; i < COUNT(sorted); i++)
		records[i] = (struct record){ sorted[(i * 5 + 3) % COUNT(sorted)], (int)i };
	SORT_BY_FIRST(records, COUNT(records), low);
	for (size_t i = 0; i < COUNT(sorted); i++) {
		ck_assert_uint_eq(records[i].low, sorted[i]);
		ck_assert_uint_eq(sorted[(unsigned)(records[i].depth * 5 + 3) % COUNT(sorted)],
		                  sorted[i]); /* the rest of a record goes with it */
		ck_assert_uint_eq(SORTED_BELOW(records, COUNT(records), low, sorted[i]), i);
		ck_assert_uint_eq(SORTED_UP_TO(records, COUNT(records), low, sorted[i]), i + 1);
	}
}
END_TEST

START_TEST(sorts_no_records)
{
	struct record *none = NULL;

	SORT_BY_FIRST(none, 0, low);
	ck_assert_uint_eq(SORTED_UP_TO(none, 0, low, 1), 0);
}
END_TEST

/* The smaller address first, of equal ones the greater depth. */
static int compare_records(const void *left, const void *right)
{
	const struct record *a = left, *b = right;

	return ORDER_BY(a->low, b->low, ORDER_BY(b->depth, a->depth, 0));
}

START_TEST(orders_by_one_number_after_the_other)
{
	struct record records[] = { { UINT64_MAX, 0 }, { 5, -1 }, { 5, 2 }, { 0, 7 }, { 5, 1 } };
	static const int depths[] = { 7, 2, 1, -1, 0 };

	qsort(records, COUNT(records), sizeof(*records), compare_records);
	for (size_t i = 0; i < COUNT(records); i++)
		ck_assert_int_eq(records[i].depth, depths[i]);
	ck_assert_int_eq(compare_records(&records[0], &records[0]), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sort");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, sorts_by_the_first_number);
	tcase_add_test(tc, sorts_no_records);
	tcase_add_test(tc, orders_by_one_number_after_the_other);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
