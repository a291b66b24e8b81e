/* SPDX-License-Identifier: MIT */
/* Functions, lines and variables from DWARF, and again after all of it was forgotten. */
#include "unit.h"

#include "debuginfo/elf/dwarf_sections.h"
#include "debuginfo/lookup/names.h"
#include "debuginfo/lookup/unit_code.h"
#include "debuginfo/lookup/unpacked_image.h"
#include "os/file/file.h"

#include <stdlib.h>

/* of tests/fixtures/markup/larder.c */
enum { INLINED = 0x1033, COOK = 0x1063, SHELF = 0x4014 };

static const char *const files[] = {
	FIXTURES "/markup/debug/.build-id/ca/1f0123456789ab.debug",
	FIXTURES "/markup/packed/zlib.debug",
	FIXTURES "/markup/packed/zlib-gnu.debug",
};

static bool is(struct cairn_bytes text, const char *what)
{
	return text.size == strlen(what) && memcmp(text.data, what, text.size) == 0;
}

static void check_chain(struct debuginfo_names *names, enum debuginfo_paths paths)
{
	static const char *const functions[] = { "open_jar", "reach", "fetch" };
	static const uint32_t lines[] = { 16, 21, 27 };
	struct cairn_location locations[DEBUGINFO_LOCATIONS];
	size_t count = debuginfo_names_chain(names, INLINED, paths, false, locations);

	ck_assert_uint_eq(count, COUNT(lines));
	for (size_t i = 0; i < count; i++) {
		ck_assert(is(locations[i].function, functions[i]));
		ck_assert_uint_eq(locations[i].line, lines[i]);
		ck_assert(locations[i].inlined == (i < 2));
	}
}

START_TEST(what_was_forgotten_is_read_again)
{
	struct cairn_location locations[DEBUGINFO_LOCATIONS], shelf;
	struct os_file file;
	const char *why;

	ck_assert_int_eq(os_file_open_regular(files[_i], &file), 0);
	struct debuginfo_names *names = debuginfo_names_open(file.bytes, &why);
	ck_assert_ptr_nonnull(names);
	for (unsigned round = 0; round < 3; round++) {
		check_chain(names, DEBUGINFO_PATH_NAME);
		ck_assert_uint_eq(
			debuginfo_names_chain(names, COOK, DEBUGINFO_PATH_WHOLE, false, locations),
			1);
		ck_assert(is(locations[0].function, "cook"));
		ck_assert_uint_eq(locations[0].line, 33);
		ck_assert(debuginfo_names_symbol(names, SHELF, &shelf));
		ck_assert(is(shelf.function, "shelf"));
		ck_assert_uint_eq(shelf.offset, 4);
		debuginfo_names_release(names);
	}
	debuginfo_names_close(names);
	os_file_close(&file);
}
END_TEST

/* An image of a file: its size, or 0 when there is none. */
static size_t image_of(struct cairn_bytes file, uint64_t drawn, struct elf *elf, void **image)
{
	struct budget_pool pool;
	struct cairn_fault fault;
	size_t size = 0;

	budget_pool_open(&pool);
	struct budget budget = { .pool = &pool };
	ck_assert(budget_inflate(&budget, drawn));
	*image = unpacked_image_build(file, &budget, &size);
	budget_pool_close(&pool);
	if (!*image)
		return 0;
	ck_assert_int_eq(elf_open((struct cairn_bytes){ *image, size }, elf, &fault), CAIRN_OK);
	return size;
}

START_TEST(unpacks_the_sections_that_lookups_read)
{
	struct dwarf_section_found packed, plain;
	struct elf_section symbols;
	struct cairn_fault fault;
	struct os_file file;
	struct elf elf, from;
	size_t size = 0;
	void *image;

	ck_assert_int_eq(os_file_open_regular(files[_i], &file), 0);
	ck_assert_int_eq(elf_open(file.bytes, &from, &fault), CAIRN_OK);
	if (image_of(file.bytes, 0, &elf, &image) == 0) {
		ck_assert_int_eq(_i, 0); /* nothing in it is compressed */
		os_file_close(&file);
		return;
	}
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++) {
		if (!dwarf_sections_find(&from, (enum dwarf_section_kind)i, false, &packed))
			continue;
		ck_assert(dwarf_sections_find(&elf, (enum dwarf_section_kind)i, false, &plain));
		if (packed.packed)
			ck_assert_int_eq(inflate_section_size(packed.bytes, packed.kind, from.big,
			                                      &size, &fault),
			                 CAIRN_OK);
		ck_assert(!plain.packed &&
		          plain.bytes.size == (packed.packed ? size : packed.bytes.size));
	}
	ck_assert(!elf_find_section(&elf, ".symtab", &symbols));
	free(image);
	ck_assert_uint_eq(image_of(file.bytes, BUDGET_INFLATE_BASE - 16, &elf, &image), 0);
	os_file_close(&file);
}
END_TEST

/* A damaged section: there is no image, and libdw has the file itself. */
START_TEST(makes_no_image_of_damaged_sections)
{
	struct dwarf_section_found packed;
	struct cairn_fault fault;
	struct os_file file;
	struct elf elf, none;
	const char *why;
	void *image;

	ck_assert_int_eq(os_file_open_regular(files[1], &file), 0);
	uint8_t *copy = malloc(file.bytes.size);
	memcpy(copy, file.bytes.data, file.bytes.size);
	const struct cairn_bytes bytes = { copy, file.bytes.size };
	ck_assert_int_eq(elf_open(bytes, &elf, &fault), CAIRN_OK);
	ck_assert(dwarf_sections_find(&elf, DWARF_SECTION_INFO, false, &packed));
	uint8_t *at = copy + (packed.bytes.data - copy);
	for (size_t i = 24; i < packed.bytes.size; i += 7) {
		at[i] ^= 0x55;
		ck_assert_uint_eq(image_of(bytes, 0, &none, &image), 0);
		debuginfo_names_close(debuginfo_names_open(bytes, &why));
		at[i] ^= 0x55;
	}
	at[8] ^= 0x55; /* its size */
	ck_assert_uint_eq(image_of(bytes, 0, &none, &image), 0);
	free(copy);
	os_file_close(&file);
}
END_TEST

static void check_same_ranges(const struct units_list *a, const struct units_list *b)
{
	ck_assert_uint_eq(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		ck_assert_uint_eq(a->range[i].low, b->range[i].low);
		ck_assert_uint_eq(a->range[i].high, b->range[i].high);
		ck_assert_uint_eq(a->range[i].die, b->range[i].die);
		ck_assert_uint_eq(a->range[i].first, b->range[i].first);
		ck_assert_uint_eq(a->range[i].behind, b->range[i].behind);
	}
}

static void free_ranges(struct unit *unit)
{
	free(unit->functions.range);
	free(unit->inlined.range);
}

/* Units of the file in which the two ways to read one find the same; returns how many functions. */
static size_t compare_readers(Dwarf *dwarf, struct budget *budget)
{
	struct units units;
	size_t functions = 0, calls = 0;

	units_open(&units, dwarf, (struct cairn_bytes){ NULL, 0 }, budget);
	ck_assert(units_list_all(&units));
	for (size_t i = 0; i < units.count; i++) {
		struct unit ours = units.unit[i], theirs = units.unit[i];
		ck_assert(unit_code_read(&units, &ours));
		unit_code_read_by_libdw(&units, &theirs);
		check_same_ranges(&ours.functions, &theirs.functions);
		check_same_ranges(&ours.inlined, &theirs.inlined);
		functions += ours.functions.count;
		calls += ours.inlined.count;
		free_ranges(&ours);
		free_ranges(&theirs);
	}
	ck_assert_uint_gt(calls, 0);
	units_finish(&units);
	return functions;
}

/* It is inlined even where nothing is optimized, so that this program always has an inlined call. */
__attribute__((always_inline)) static inline size_t count_expected(int file)
{
	return file == 0 ? 100 : 2;
}

/* In this program itself, and in the fixture. */
START_TEST(our_decoder_finds_the_functions_that_libdw_finds)
{
	const char *const path[] = { "/proc/self/exe", files[0] };
	struct budget_pool pool;
	struct os_file file;

	ck_assert_int_eq(os_file_open_regular(path[_i], &file), 0);
	budget_pool_open(&pool);
	struct budget budget = { .pool = &pool };
	ck_assert(budget_credit(&pool, file.bytes));
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)(uintptr_t)file.bytes.data, file.bytes.size);
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	ck_assert_ptr_nonnull(dwarf);
	ck_assert_uint_ge(compare_readers(dwarf, &budget), count_expected(_i));
	dwarf_end(dwarf);
	elf_end(elf);
	budget_pool_close(&pool);
	os_file_close(&file);
}
END_TEST

/* The last of `list` that holds `va`, by looking at each; its number, which counts from 1. */
static size_t find_slowly(const struct units_list *list, uint64_t va)
{
	size_t at = list->count;

	while (at > 0 && !(list->range[at - 1].low <= va && va < list->range[at - 1].high))
		at--;
	return at;
}

enum { RANGES = 3000, RANGE_STEPS = 12 * 12 }; /* of a tree with so many: log times log */

/* Range number `i` of a list in which a search by going back would look at every one. */
static struct units_range make_range(int shape, uint64_t i)
{
	const struct units_range shapes[] = {
		{ .low = 16 * i,
		  .high = i == 0 ? UINT64_MAX : 16 * i + 8 }, /* side by side in one */
		{ .low = i, .high = 64 * RANGES - i },        /* each in the last */
		{ .low = 64 * (RANGES - i),
		  .high = 64 * (RANGES - i) + 8 }, /* the other way round */
	};

	return shapes[shape];
}

START_TEST(a_search_among_ranges_is_short)
{
	static struct units_range ranges[RANGES];
	struct units_list list = { ranges, RANGES, RANGES };

	for (uint64_t i = 0; i < RANGES; i++)
		ranges[i] = make_range(_i, i);
	units_list_mark(&list);
	for (uint64_t va = 0; va < 64 * RANGES + 100; va += 37) {
		uint64_t steps = 0;
		const size_t found = units_range_below(&list, RANGES, 0, va, &steps);
		ck_assert_uint_eq(found, find_slowly(&list, va));
		ck_assert_uint_le(steps, RANGE_STEPS);
		ck_assert_uint_le(steps, UNITS_STEPS_FREE); /* so it costs nothing */
		if (_i < 2) {                               /* ascending */
			const struct units_range *at = units_range_at(&list, va);
			ck_assert(found > 0 ? at == &ranges[found - 1] : !at);
		}
	}
}
END_TEST

START_TEST(a_search_ends_at_its_floor)
{
	struct units_range ranges[] = { { .low = 0, .high = 9 }, { .low = 0, .high = 1 } };
	struct units_list list = { ranges, COUNT(ranges), COUNT(ranges) };
	uint64_t steps = 0;

	units_list_mark(&list);
	ck_assert_uint_eq(units_range_below(&list, 2, 0, 5, &steps), 1);
	ck_assert_uint_eq(units_range_below(&list, 2, 1, 5, &steps), 1);
	ck_assert_uint_eq(units_range_below(&list, 2, 1, 0, &steps), 2);
	list.count = 0;
	ck_assert_ptr_null(units_range_at(&list, 5));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("names");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, what_was_forgotten_is_read_again, 0, (int)COUNT(files));
	tcase_add_loop_test(all, unpacks_the_sections_that_lookups_read, 0, COUNT(files));
	tcase_add_test(all, makes_no_image_of_damaged_sections);
	tcase_add_loop_test(all, our_decoder_finds_the_functions_that_libdw_finds, 0, 2);
	tcase_add_loop_test(all, a_search_among_ranges_is_short, 0, 3);
	tcase_add_test(all, a_search_ends_at_its_floor);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
