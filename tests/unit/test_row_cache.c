/* SPDX-License-Identifier: MIT */
/* Tests the cache of rows: a row that is found equals the one that was kept, and what cannot be kept whole is not. */
#include "unit.h"
#include "unwind/tables/cfi_coverage.h"

enum { MODULE = 3, VA = 0x1234, MANY = 5000 };

static struct row_cache cache;
static struct fde_reader kept_entries, found_entries;

static struct cfi_row usual_row(void)
{
	struct cfi_row row = {
		.start = 0x1230,
		.end = 0x1240,
		.cfa = { .kind = CFI_RULE_REGISTER, .reg = 7, .offset = 0x123456789 },
		.ra = 16,
		.mangled = true
	};

	row.reg[3] = (struct cfi_register_rule){ .kind = CFI_RULE_OFFSET, .offset = -24 };
	row.reg[6] = (struct cfi_register_rule){ .kind = CFI_RULE_VAL_OFFSET, .offset = 8 };
	row.reg[12].kind = CFI_RULE_SAME;
	row.reg[16].kind = CFI_RULE_UNDEFINED;
	return row;
}

static void set_entries(struct fde_reader *entries, bool signal)
{
	entries->fde.start = 0x1200;
	entries->fde.size = 0x100000080;
	entries->cie.signal = signal;
	entries->cie.key_b = !signal;
}

static bool equal_rows(const struct cfi_row *a, const struct cfi_row *b)
{
	bool equal = a->start == b->start && a->end == b->end && a->ra == b->ra &&
	             a->mangled == b->mangled && a->cfa.kind == b->cfa.kind &&
	             a->cfa.reg == b->cfa.reg && a->cfa.offset == b->cfa.offset;

	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		equal = equal && a->reg[i].kind == b->reg[i].kind &&
		        a->reg[i].offset == b->reg[i].offset;
	return equal;
}

START_TEST(finds_what_was_kept)
{
	const struct cfi_row row = usual_row();
	struct cfi_row found;

	set_entries(&kept_entries, _i);
	ck_assert(!row_cache_find(&cache, MODULE, VA, &found_entries, &found));
	row_cache_keep(&cache, MODULE, VA, &kept_entries, &row);
	ck_assert(row_cache_find(&cache, MODULE, VA, &found_entries, &found));
	ck_assert(equal_rows(&row, &found));
	ck_assert_uint_eq(found_entries.fde.start, 0x1200);
	ck_assert_uint_eq(found_entries.fde.size, 0x100000080);
	ck_assert_int_eq(found_entries.cie.signal, _i);
	ck_assert_int_eq(found_entries.cie.key_b, !_i);
	ck_assert(!row_cache_find(&cache, MODULE + 1, VA, &found_entries, &found));
	ck_assert(!row_cache_find(&cache, MODULE, VA + 1, &found_entries, &found));
}
END_TEST

static void spoil_cfa(struct cfi_row *row)
{
	row->cfa.kind = CFI_RULE_VAL_EXPRESSION;
}

static void spoil_register(struct cfi_row *row)
{
	row->reg[3].kind = CFI_RULE_REGISTER;
}

static void spoil_expression(struct cfi_row *row)
{
	row->reg[3].kind = CFI_RULE_EXPRESSION;
}

static void spoil_offset(struct cfi_row *row)
{
	row->reg[3].offset = (int64_t)INT32_MAX + 1;
}

static void spoil_count(struct cfi_row *row)
{
	for (unsigned i = 0; i <= ROW_CACHE_PLACES; i++)
		row->reg[i].kind = CFI_RULE_SAME;
}

static void (*const spoils[])(struct cfi_row *row) = { spoil_cfa, spoil_register, spoil_expression,
	                                               spoil_offset, spoil_count };

START_TEST(keeps_whole_rows_alone)
{
	struct cfi_row row = usual_row(), found;

	spoils[_i](&row);
	row_cache_keep(&cache, MODULE, VA, &kept_entries, &row);
	ck_assert(!row_cache_find(&cache, MODULE, VA, &found_entries, &found));
}
END_TEST

/* More rows than there is room for: those that are found are right, and the last ones are. */
START_TEST(drops_older_ones)
{
	struct cfi_row row = usual_row(), found;
	unsigned known = 0;

	for (uint64_t va = 0; va < MANY; va++) {
		row.start = va;
		row_cache_keep(&cache, MODULE, va, &kept_entries, &row);
		ck_assert(row_cache_find(&cache, MODULE, va, &found_entries, &found));
	}
	for (uint64_t va = 0; va < MANY; va++) {
		if (!row_cache_find(&cache, MODULE, va, &found_entries, &found))
			continue;
		ck_assert_uint_eq(found.start, va);
		known++;
	}
	ck_assert_uint_gt(known, ROW_CACHE_ROWS / 2);
	ck_assert_uint_le(known, ROW_CACHE_ROWS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_cache");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, finds_what_was_kept, 0, 2);
	tcase_add_loop_test(tc, keeps_whole_rows_alone, 0, COUNT(spoils));
	tcase_add_test(tc, drops_older_ones);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
