/* SPDX-License-Identifier: MIT */
/* Which symbol names a piece of code. */
#include "unit.h"

#include "debuginfo/elf/aliases.h"

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

int main(void)
{
	Suite *suite = suite_create("aliases");
	TCase *tests = tcase_create("aliases");

	tcase_add_loop_test(tests, chooses, 0, COUNT(rows));
	tcase_add_test(tests, chooses_among_many);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
