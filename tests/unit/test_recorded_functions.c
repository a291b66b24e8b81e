/* SPDX-License-Identifier: MIT */
/* Which copy of a function counts, and when another one is known for a copy. */
#include "unit.h"

#include "debuginfo/function_builder.h"

#include <stdio.h>

static const struct cairn_range place = { 0x1000, 0x1100 };

static struct recorded_function make_function(size_t unit, bool has_rows, uint64_t lost)
{
	return (struct recorded_function){
		.range = place, .name = BYTES("f"), .lost = lost, .unit = unit, .has_rows = has_rows
	};
}

static void add(struct recorded_functions *given, size_t unit, bool has_rows, uint64_t lost)
{
	const struct recorded_function function = make_function(unit, has_rows, lost);

	ck_assert(recorded_functions_add(given, &function));
}

START_TEST(stands_by_rows_and_unit)
{
	const struct cairn_bytes name = BYTES("f");
	struct recorded_functions *given = recorded_functions_new(1);

	ck_assert(!recorded_functions_has(given, place, name, 5));
	add(given, 5, false, 3);
	ck_assert(!recorded_functions_has(given, place, name, 5)); /* the next one may have rows */
	add(given, 7, true, 2);
	ck_assert(recorded_functions_has(given, place, name, 7));
	ck_assert(recorded_functions_has(given, place, name, 8));
	ck_assert(!recorded_functions_has(given, place, name, 6));
	ck_assert_uint_eq(recorded_functions_lost(given), 2);
	add(given, 3, true, 1);
	add(given, 4, true, 9);
	add(given, 2, false, 9);
	ck_assert(recorded_functions_has(given, place, name, 3));
	ck_assert(!recorded_functions_has(given, place, name, 2));
	ck_assert_uint_eq(recorded_functions_lost(given), 1);
	recorded_functions_free(given);
}
END_TEST

START_TEST(tells_functions_apart)
{
	const struct cairn_bytes name = BYTES("f"), other = BYTES("g"), longer = BYTES("ff");
	const struct cairn_range shorter = { 0x1000, 0x10ff }, later = { 0x1001, 0x1101 };
	struct recorded_functions *given = recorded_functions_new(3);

	add(given, 0, true, 0);
	ck_assert(recorded_functions_has(given, place, name, 0));
	ck_assert(!recorded_functions_has(given, place, other, 0));
	ck_assert(!recorded_functions_has(given, place, longer, 0));
	ck_assert(!recorded_functions_has(given, shorter, name, 0));
	ck_assert(!recorded_functions_has(given, later, name, 0));
	recorded_functions_free(given);
}
END_TEST

/* More of one place than a search may be long: the table gets a key. */
START_TEST(holds_many_of_one_place)
{
	enum { MANY = 2000, CAPACITY = 8 };
	static char text[MANY][CAPACITY];
	struct recorded_functions *given = recorded_functions_new(1);

	for (size_t i = 0; i < MANY; i++) {
		struct recorded_function function = make_function(i, true, 1);
		const int size = snprintf(text[i], CAPACITY, "f%zu", i);
		function.name = (struct cairn_bytes){ (const uint8_t *)text[i], (size_t)size };
		ck_assert(recorded_functions_add(given, &function));
		ck_assert(recorded_functions_add(given, &function));
	}
	for (size_t i = 0; i < MANY; i++) {
		char copy[CAPACITY];
		const int size = snprintf(copy, CAPACITY, "f%zu", i);
		const struct cairn_bytes name = { (const uint8_t *)copy, (size_t)size };
		ck_assert(recorded_functions_has(given, place, name, i));
		ck_assert(i == 0 || !recorded_functions_has(given, place, name, i - 1));
	}
	ck_assert_uint_eq(recorded_functions_lost(given), MANY);
	recorded_functions_free(given);
}
END_TEST

/* Ranges of a function that is about to be opened, when f at `place` is known from unit 1. */
static const struct {
	const char *name;
	struct cairn_range range[2];
	size_t ranges, unit;
	bool given;
	uint64_t repeated, outside;
} copies[] = {
	{ "a copy", { { 0x1000, 0x1100 } }, 1, 2, true, 1, 0 },
	{ "of a unit before", { { 0x1000, 0x1100 } }, 1, 0, false, 0, 0 },
	{ "of another size", { { 0x1000, 0x10ff } }, 1, 2, false, 0, 0 },
	{ "reaches past the section", { { 0x1000, 0x9000 } }, 1, 2, true, 1, 0 },
	{ "dropped by the linker", { { 0, 0x100 } }, 1, 0, true, 0, 1 },
	{ "both", { { 0, 0x100 }, { 0x1000, 0x1100 } }, 2, 1, true, 1, 1 },
	{ "with a part of its own", { { 0x1000, 0x1100 }, { 0x1010, 0x1020 } }, 2, 2, false, 0, 0 },
	{ "without any code", { { 0, 0 } }, 0, 2, true, 0, 0 },
};

START_TEST(leaves_out_copies)
{
	const struct function_builder_function function = { .names = { BYTES("f"), BYTES(""),
		                                                       BYTES(""), 0 } };
	struct budget_pool pool;
	struct budget budget = { .pool = &pool };
	struct cairn_range text = { 0x1000, 0x1100 };
	const struct code_ranges spans = { &text, 1, 1 };
	struct program_summary summary = { .units = 0 };
	struct lines lines = { .budget = &budget };
	struct function_builder builder = {
		.text = &spans, .lines = &lines, .summary = &summary, .budget = &budget
	};
	const struct dwarf_unit unit = { .version = 5, .address_size = 8 };

	budget_pool_open(&pool);
	function_builder_begin(&builder, &unit, NULL);
	builder.unit = copies[_i].unit;
	for (size_t i = 0; i < copies[_i].ranges; i++)
		ck_assert(function_builder_range(&builder, copies[_i].range[i]));
	ck_assert(!function_builder_was_given(&builder, &function)); /* nobody asks for it */
	builder.earlier = recorded_functions_new(1);
	add(builder.earlier, 1, true, 0);
	ck_assert_msg(function_builder_was_given(&builder, &function) == copies[_i].given, "%s",
	              copies[_i].name);
	ck_assert_uint_eq(summary.repeated, copies[_i].repeated);
	ck_assert_uint_eq(summary.dropped[PROGRAM_DROP_OUTSIDE], copies[_i].outside);
	recorded_functions_free(builder.earlier);
	function_builder_finish(&builder);
	budget_pool_close(&pool);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("given");
	TCase *tests = tcase_create("given");

	tcase_add_test(tests, stands_by_rows_and_unit);
	tcase_add_test(tests, tells_functions_apart);
	tcase_add_test(tests, holds_many_of_one_place);
	tcase_add_loop_test(tests, leaves_out_copies, 0, COUNT(copies));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
