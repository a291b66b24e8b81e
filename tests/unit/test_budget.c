/* SPDX-License-Identifier: MIT */
/* What readers of one program may draw from its pool. */
#include "unit.h"

#include "debuginfo/budget.h"

#include <stdlib.h>

static const uint8_t bytes[4096];

static struct budget open_budget(struct budget_pool *pool)
{
	budget_pool_open(pool);
	return (struct budget){ .pool = pool };
}

/* All that may be drawn, in pieces; what is left when it ends is less than one of them. */
static uint64_t drain(struct budget *budget, enum budget_kind kind, uint64_t piece)
{
	uint64_t drawn = 0;

	while (budget_draw(budget, kind, piece))
		drawn += piece;
	ck_assert(budget->exhausted);
	ck_assert_int_eq(budget->spent, kind);
	return drawn;
}

static const struct {
	enum budget_kind kind;
	uint64_t base, factor, piece;
} kinds[] = {
	{ BUDGET_WORK, BUDGET_WORK_BASE, BUDGET_WORK_FACTOR, 1 },
	{ BUDGET_WORK, BUDGET_WORK_BASE, BUDGET_WORK_FACTOR, 1 << 20 },
	{ BUDGET_MEMORY, BUDGET_MEMORY_BASE, BUDGET_MEMORY_FACTOR, 1000 },
	{ BUDGET_INFLATED, BUDGET_INFLATE_BASE, BUDGET_INFLATE_FACTOR, 4096 },
};

START_TEST(is_what_the_files_allow)
{
	struct budget_pool pool;
	struct budget budget = open_budget(&pool);
	uint64_t factor = kinds[_i].factor, piece = kinds[_i].piece;

	/* of one file that is named twice the bytes count once */
	ck_assert(budget_credit(&pool, (struct cairn_bytes){ bytes, 1000 }));
	ck_assert(budget_credit(&pool, (struct cairn_bytes){ bytes + 1000, 500 }));
	ck_assert(budget_credit(&pool, (struct cairn_bytes){ bytes, 1000 }));
	uint64_t all = kinds[_i].base + 1500 * factor;
	uint64_t drawn = drain(&budget, kinds[_i].kind, piece);
	ck_assert(drawn <= all && all - drawn < piece);
	for (unsigned kind = 0; kind < BUDGET_KINDS; kind++)
		ck_assert(!budget_draw(&budget, (enum budget_kind)kind, 1));
	ck_assert_ptr_nonnull(budget_kind_text(budget.spent));
	budget_pool_close(&pool);
}
END_TEST

START_TEST(is_shared_by_readers)
{
	struct budget_pool pool;
	struct budget one = open_budget(&pool), two = { .pool = &pool };
	uint64_t drawn = 0;

	for (bool more = true; more;) {
		more = budget_work(&one, 1);
		drawn += more;
		if (more && budget_work(&two, 1))
			drawn++;
	}
	drawn += drain(&two, BUDGET_WORK, 1);
	ck_assert_uint_eq(drawn, BUDGET_WORK_BASE);
	budget_pool_close(&pool);
}
END_TEST

START_TEST(never_wraps)
{
	struct budget_pool pool;
	struct budget budget = open_budget(&pool);

	ck_assert(budget_memory(&budget, 100));
	ck_assert(!budget_memory(&budget, UINT64_MAX));
	ck_assert(budget.exhausted && !budget_memory(&budget, 1));
	budget_pool_close(&pool);
}
END_TEST

START_TEST(counts_capacity)
{
	struct budget_pool pool;
	struct budget budget = open_budget(&pool);
	uint64_t *array = NULL;
	size_t capacity = 0, need = 1;

	for (; budget_capacity(&budget, &array, &capacity, need, sizeof(*array));
	     need = capacity + 1)
		array[capacity - 1] = need;
	ck_assert(budget.exhausted);
	ck_assert_uint_le(capacity * sizeof(*array), BUDGET_MEMORY_BASE);
	ck_assert_uint_gt(capacity * sizeof(*array), BUDGET_MEMORY_BASE / 2);
	free(array);
	budget_pool_close(&pool);
}
END_TEST

START_TEST(counts_texts_once)
{
	enum { SIZE = 1000 };
	struct budget_pool pool;
	struct budget budget = open_budget(&pool);
	struct cairn_bytes text = { bytes, SIZE };

	for (unsigned i = 0; i < 100000; i++)
		ck_assert(budget_charge_text(&budget, text));
	unsigned kept = 0;
	/* as many others lie between that it is forgotten */
	for (; budget_charge_text(&budget, text); kept++)
		text.data = bytes + kept % 2 * BUDGET_SEEN;
	ck_assert_uint_le(kept, BUDGET_MEMORY_BASE / SIZE + 2);
	ck_assert_int_eq(budget.spent, BUDGET_MEMORY);
	budget_pool_close(&pool);
}
END_TEST

/* What was decompressed counts as bytes of a file, but for decompressing more. */
START_TEST(adds_what_is_decompressed)
{
	struct budget_pool pool;
	struct budget budget = open_budget(&pool);

	ck_assert(budget_inflate(&budget, BUDGET_INFLATE_BASE));
	uint64_t drawn = drain(&budget, BUDGET_MEMORY, 1);
	ck_assert_uint_eq(drawn, BUDGET_MEMORY_BASE +
	                                 (uint64_t)BUDGET_INFLATED_FACTOR * BUDGET_INFLATE_BASE);
	budget_pool_close(&pool);
	budget = open_budget(&pool);
	ck_assert(!budget_inflate(&budget, BUDGET_INFLATE_BASE + 1));
	ck_assert_int_eq(budget.spent, BUDGET_INFLATED);
	budget_pool_close(&pool);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("budget");
	TCase *tests = tcase_create("budget");

	tcase_add_loop_test(tests, is_what_the_files_allow, 0, COUNT(kinds));
	tcase_add_test(tests, is_shared_by_readers);
	tcase_add_test(tests, never_wraps);
	tcase_add_test(tests, counts_capacity);
	tcase_add_test(tests, counts_texts_once);
	tcase_add_test(tests, adds_what_is_decompressed);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
