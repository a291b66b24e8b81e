/* SPDX-License-Identifier: MIT */
/* Which symbol names a piece of code. */
#include "unit.h"

#include "fixture_elf.h"

#include "debuginfo/symbol_table.h"

#include <stdio.h>

enum { SYMBOLS = 4, LOCAL = 0, GLOBAL = 1, WEAK = 2 };

static const struct {
	const char *name;
	struct {
		const char *name;
		unsigned binding, size;
	} symbols[SYMBOLS];
	const char *named, *best;
} rows[] = {
	{ "one", { { "f", GLOBAL, 8 } }, "", "f" },
	{ "global before local", { { "a", LOCAL, 8 }, { "zz", GLOBAL, 8 } }, "", "zz" },
	{ "weak is as good as global", { { "aa", GLOBAL, 8 }, { "b", WEAK, 8 } }, "", "b" },
	{ "with a size before without", { { "a", GLOBAL, 0 }, { "zz", GLOBAL, 8 } }, "", "zz" },
	{ "global without a size before local with one",
	  { { "a", LOCAL, 8 }, { "zz", GLOBAL, 0 } },
	  "",
	  "zz" },
	{ "what DWARF names", { { "a", GLOBAL, 8 }, { "_zz", GLOBAL, 8 } }, "_zz", "_zz" },
	{ "but not when it is local", { { "a", GLOBAL, 8 }, { "zz", LOCAL, 8 } }, "zz", "a" },
	{ "fewer underscores",
	  { { "__clone3", GLOBAL, 8 }, { "_clone3", GLOBAL, 8 } },
	  "",
	  "_clone3" },
	{ "shorter", { { "ab", GLOBAL, 8 }, { "c", GLOBAL, 8 } }, "", "c" },
	{ "by bytes", { { "ac", GLOBAL, 8 }, { "ab", GLOBAL, 8 } }, "", "ab" },
	{ "without a version", { { "memcpy@@GLIBC_2.14", GLOBAL, 8 } }, "", "memcpy" },
	{ "a version alone is a name", { { "@x", GLOBAL, 8 } }, "", "@x" },
};

static struct cairn_bytes text(const char *string)
{
	return (struct cairn_bytes){ (const uint8_t *)string, strlen(string) };
}

START_TEST(chooses)
{
	struct aliases aliases = { .entry = NULL };
	struct cairn_bytes named = text(rows[_i].named);

	/* others before and behind, and those of interest in either order */
	ck_assert(aliases_add(&aliases, (struct alias){ 9, 1, text("x"), GLOBAL, 2 }));
	for (unsigned i = 0; i < SYMBOLS && rows[_i].symbols[i].name; i++)
		ck_assert(aliases_add(&aliases,
		                      (struct alias){ 0x10, rows[_i].symbols[i].size,
		                                      text(rows[_i].symbols[i].name),
		                                      (uint8_t)rows[_i].symbols[i].binding, 2 }));
	ck_assert(aliases_add(&aliases, (struct alias){ 0x11, 1, text("x"), GLOBAL, 2 }));
	aliases_sort(&aliases);
	const struct alias *best = aliases_best(&aliases, 0x10, &named, 1);
	ck_assert_ptr_nonnull(best);
	ck_assert_uint_eq(best->name.size, strlen(rows[_i].best));
	ck_assert_msg(memcmp(best->name.data, rows[_i].best, best->name.size) == 0, "%s",
	              rows[_i].name);
	ck_assert_int_le(aliases_compare(&aliases, 0x10, best->name, text("not a symbol")), 0);
	ck_assert_ptr_null(aliases_best(&aliases, 0x12, NULL, 0));
	ck_assert_uint_eq(aliases_at(&aliases, 0x12), aliases.count);
	aliases_finish(&aliases);
}
END_TEST

/* Of many symbols at one address the one that DWARF names is found, and all keep their order. */
START_TEST(chooses_among_many)
{
	enum { MANY = 1000, WIDTH = 8 };
	static char names[MANY][WIDTH];
	struct aliases aliases = { .entry = NULL };

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(names[i], WIDTH, "f%u", i);
		ck_assert(aliases_add(&aliases, (struct alias){ 0x10, i % 3, text(names[i]),
		                                                i % 2 ? LOCAL : GLOBAL, 2 }));
	}
	aliases_sort(&aliases);
	for (unsigned i = 0; i < MANY; i++) {
		struct cairn_bytes own[] = { text("none"), text(names[i]) };
		const struct alias *best = aliases_best(&aliases, 0x10, own, COUNT(own));
		/* only those of the best class are asked for */
		bool is_best_class = i % 2 == 0 && i % 3 > 0;
		ck_assert_str_eq((const char *)best->name.data, is_best_class ? names[i] : "f2");
	}
	for (size_t i = 1; i < aliases.count; i++) {
		ck_assert_int_lt(aliases_compare(&aliases, 0x10, aliases.entry[i - 1].name,
		                                 aliases.entry[i].name),
		                 0);
		ck_assert_int_gt(aliases_compare(&aliases, 0x10, aliases.entry[i].name,
		                                 aliases.entry[i - 1].name),
		                 0);
	}
	aliases_finish(&aliases);
}
END_TEST

static bool picks(struct symbol_tables *tables, struct cairn_range range, const char *names)
{
	struct aliases picked = { .entry = NULL };
	char got[64] = "";

	ck_assert(symbol_tables_pick(tables, &range, 1, &picked));
	aliases_sort(&picked);
	for (size_t i = 0; i < picked.count; i++)
		strncat(got, (const char *)picked.entry[i].name.data, picked.entry[i].name.size);
	aliases_finish(&picked);
	if (strcmp(got, names) == 0)
		return true;
	printf("%s, not %s\n", got, names);
	return false;
}

/* Functions, and one that is undefined; each name is a letter. */
static const struct {
	uint64_t va, size;
	uint16_t section;
} around[] = { { 0x40, 8, 1 }, { 0x10, 0x20, 1 },    { 0x20, 0, 1 }, { 0x30, 0, 1 },
	       { 0x50, 8, 1 }, { 8, UINT64_MAX, 1 }, { 0x28, 1, 1 }, { 0x28, 1, 0 } };

static void put_symbols(struct fixture_out *out, bool wide)
{
	for (size_t i = 0; i < COUNT(around); i++) {
		const uint64_t size = wide ? around[i].size : (uint32_t)around[i].size;
		fixture_out_put(out, 2 * i + 1, 4);
		if (!wide) {
			fixture_out_put(out, around[i].va, 4);
			fixture_out_put(out, size, 4);
		}
		fixture_out_put(out, 0x12, 1); /* global, a function */
		fixture_out_put(out, 0, 1);
		fixture_out_put(out, around[i].section, 2);
		if (wide) {
			fixture_out_put(out, around[i].va, 8);
			fixture_out_put(out, size, 8);
		}
	}
}

/* Of either class, in either byte order, and of ARM, where bit 0 of a symbol is not one of its address. */
static const struct {
	bool wide, big;
	uint16_t machine;
} tables_of[] = { { true, false, 62 },
	          { true, true, 21 },
	          { false, false, 3 },
	          { false, true, 20 },
	          { false, false, 40 } };

static void make_program(struct fixture_out *file, size_t kind)
{
	static struct fixture_out symbols;
	static const char names[] = "\0a\0b\0c\0d\0e\0f\0g@1\0";
	struct fixture_elf_places places;

	symbols = (struct fixture_out){ .big = tables_of[kind].big };
	put_symbols(&symbols, tables_of[kind].wide);
	struct fixture_section sections[] = {
		{ ".text", 1, 0, BYTES("code"), 0, 0 },
		{ ".symtab", 2, 0, fixture_out_bytes(&symbols), 3, 0 },
		{ ".strtab", 3, 0, { (const uint8_t *)names, sizeof(names) - 1 }, 0, 0 },
	};
	struct fixture_elf elf = { .wide = tables_of[kind].wide,
		                   .big = tables_of[kind].big,
		                   .type = 2,
		                   .machine = tables_of[kind].machine,
		                   .section_count = COUNT(sections),
		                   .sections = sections };
	fixture_elf(file, &elf, &places);
}

START_TEST(picks_symbols_around)
{
	static struct fixture_out file;
	struct symbol_tables tables = { .count = 0 };
	struct cairn_fault fault;

	make_program(&file, (size_t)_i);
	const struct cairn_bytes bytes = unit_exact(fixture_out_bytes(&file));
	ck_assert_int_eq(symbol_tables_add(&tables, bytes, ALIASES_DYNSYM, &fault),
	                 CAIRN_NOT_FOUND);
	ck_assert_int_eq(symbol_tables_add(&tables, bytes, ALIASES_SYMTAB, &fault), CAIRN_OK);
	ck_assert_uint_eq(tables.count, 1);
	ck_assert(picks(&tables, (struct cairn_range){ 0x28, 0x30 }, "fbgd"));
	ck_assert(picks(&tables, (struct cairn_range){ 0x41, 0x4f }, "fa"));
	ck_assert(picks(&tables, (struct cairn_range){ 0x48, 0x50 }, "fe"));
	ck_assert(picks(&tables, (struct cairn_range){ 0, 7 }, ""));
	/* no more text than names may have */
	struct cairn_range whole = { 0, UINT64_MAX };
	struct aliases picked = { .entry = NULL };
	tables.table[0].names_left = 6;
	ck_assert(!symbol_tables_pick(&tables, &whole, 1, &picked));
	aliases_finish(&picked);
}
END_TEST

static bool take_three(void *context, const struct alias *symbol)
{
	unsigned *count = context;

	ck_assert_uint_gt(symbol->name.size, 0);
	return ++*count < 3;
}

START_TEST(visits_symbols_until_told)
{
	static struct fixture_out file;
	struct symbol_tables tables = { .count = 0 };
	struct cairn_fault fault;
	unsigned count = 0;

	make_program(&file, 0);
	const struct cairn_bytes bytes = unit_exact(fixture_out_bytes(&file));
	ck_assert_int_eq(symbol_tables_add(&tables, bytes, ALIASES_SYMTAB, &fault), CAIRN_OK);
	ck_assert(!symbol_tables_visit(&tables, (struct cairn_range){ 0, UINT64_MAX }, take_three,
	                               &count));
	ck_assert_uint_eq(count, 3);
	ck_assert(symbol_tables_visit(&tables, (struct cairn_range){ 0, 7 }, take_three, &count));
	ck_assert_uint_eq(count, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aliases");
	TCase *tests = tcase_create("aliases");

	tcase_add_loop_test(tests, chooses, 0, COUNT(rows));
	tcase_add_test(tests, chooses_among_many);
	tcase_add_loop_test(tests, picks_symbols_around, 0, COUNT(tables_of));
	tcase_add_test(tests, visits_symbols_until_told);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
