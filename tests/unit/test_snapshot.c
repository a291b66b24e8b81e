/* SPDX-License-Identifier: MIT */
/* Tests the lists of a snapshot: their bounds, their order, and what is found in them. */
#include "base/snapshot.h"
#include "process/snapshot/snapshot_modules.h"
#include "unit.h"

static void add_mapping(struct snapshot *snapshot, uint64_t low, uint64_t high)
{
	struct snapshot_mapping *mapping = snapshot_add_mapping(snapshot);

	ck_assert_ptr_nonnull(mapping);
	mapping->low = low;
	mapping->high = high;
}

START_TEST(finds_the_mapping_of_an_address)
{
	static const struct {
		uint64_t address, low; /* low 0: none */
	} rows[] = {
		{ 0xfff, 0 },       { 0x1000, 0x1000 }, { 0x1fff, 0x1000 },           { 0x2000, 0 },
		{ 0x3000, 0x3000 }, { 0x4000, 0 },      { UINT64_MAX - 1, ~0xfffull }
	};
	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE };

	add_mapping(&snapshot, ~0xfffull, UINT64_MAX);
	add_mapping(&snapshot, 0x3000, 0x4000);
	add_mapping(&snapshot, 0x9000, 0x8000);
	add_mapping(&snapshot, 0x1000, 0x2000);
	add_mapping(&snapshot, 0x2000, 0x2000);
	snapshot_sort_mappings(&snapshot);
	ck_assert_uint_eq(snapshot.mapping_count, 3);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct snapshot_mapping *found =
			snapshot_find_mapping(&snapshot, rows[i].address);
		ck_assert_uint_eq(found ? found->low : 0, rows[i].low);
	}
	snapshot_close(&snapshot);
}
END_TEST

/* The note of the core counts; else what is mapped at the end of all addresses. */
START_TEST(knows_where_signatures_are)
{
	static const struct {
		enum cairn_machine machine;
		uint64_t high, note, bits;
	} rows[] = {
		{ CAIRN_MACHINE_AARCH64, 0x7ffffff000, 0, UINT64_MAX << 39 }, /* Android */
		{ CAIRN_MACHINE_AARCH64, 0x8000000000, 0, UINT64_MAX << 39 },
		{ CAIRN_MACHINE_AARCH64, 0xfffffffff000, 0,
		  0 },                                     /* the bits that are always taken */
		{ CAIRN_MACHINE_AARCH64, 0x500000, 0, 0 }, /* no stack is there */
		{ CAIRN_MACHINE_AARCH64, 0x7ffffff000, UINT64_C(0x7f) << 48, UINT64_C(0x7f) << 48 },
		{ CAIRN_MACHINE_AMD64, 0x7ffffff000, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE,
			                     .machine = rows[i].machine,
			                     .signature_bits = rows[i].note };
		add_mapping(&snapshot, 0x400000, 0x401000);
		add_mapping(&snapshot, rows[i].high - 0x1000, rows[i].high);
		ck_assert_uint_eq(snapshot_signature_bits(&snapshot), rows[i].bits);
		snapshot_close(&snapshot);
	}
}
END_TEST

START_TEST(keeps_no_more_modules_than_its_bound)
{
	struct snapshot snapshot = { .kind = CAIRN_STACKS_MINIDUMP };

	for (uint64_t i = 0; i < SNAPSHOT_MODULES_MAX; i++) {
		struct snapshot_module *module = snapshot_add_module(&snapshot);
		ck_assert_ptr_nonnull(module);
		ck_assert_uint_eq(module->high, 0);
		module->low = i << 12;
		module->high = (i + 1) << 12;
	}
	ck_assert_ptr_null(snapshot_add_module(&snapshot));
	ck_assert_uint_eq(snapshot.left_out, 1);
	ck_assert_uint_eq(snapshot_find_module(&snapshot, 0x5123)->low, 0x5000);
	ck_assert_ptr_null(snapshot_find_module(&snapshot, (uint64_t)SNAPSHOT_MODULES_MAX << 12));
	snapshot_close(&snapshot);
	ck_assert_uint_eq(snapshot.module_count, 0);
}
END_TEST

START_TEST(copies_the_texts_that_it_keeps)
{
	struct snapshot snapshot = { .kind = CAIRN_STACKS_PROCESS };
	char text[] = "worker";

	struct cairn_bytes kept = snapshot_keep_string(&snapshot, text);
	memset(text, 'x', sizeof(text) - 1);
	ck_assert_uint_eq(kept.size, 6);
	ck_assert_mem_eq(kept.data, "worker", 6);
	ck_assert_ptr_nonnull(snapshot_keep_string(&snapshot, "").data);
	snapshot_close(&snapshot);
}
END_TEST

START_TEST(remembers_a_bounded_number_of_problems)
{
	struct snapshot snapshot = { .kind = CAIRN_STACKS_CORE };

	for (int i = 0; i < 2 * SNAPSHOT_PROBLEMS_MAX; i++)
		snapshot_add_problem(&snapshot, "notes",
		                     (struct cairn_fault){ CAIRN_TRUNCATED, 1, "cut" });
	ck_assert_uint_eq(snapshot.problem_count, SNAPSHOT_PROBLEMS_MAX);
	snapshot_close(&snapshot);
}
END_TEST

static void close_counter(void *source)
{
	++*(int *)source;
}

START_TEST(closes_its_source_once)
{
	int closed = 0;
	struct snapshot snapshot = { .source = &closed, .close_source = close_counter };

	snapshot_close(&snapshot);
	snapshot_close(&snapshot);
	ck_assert_int_eq(closed, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("snapshot");
	TCase *tcase = tcase_create("snapshot");

	tcase_add_test(tcase, finds_the_mapping_of_an_address);
	tcase_add_test(tcase, knows_where_signatures_are);
	tcase_add_test(tcase, keeps_no_more_modules_than_its_bound);
	tcase_add_test(tcase, copies_the_texts_that_it_keeps);
	tcase_add_test(tcase, remembers_a_bounded_number_of_problems);
	tcase_add_test(tcase, closes_its_source_once);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
