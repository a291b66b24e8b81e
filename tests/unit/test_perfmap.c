/* SPDX-License-Identifier: MIT */
/* Tests perf maps: good lines, and those that are passed over. */
#include "unit.h"

#include "formats/perfmap.h"

static const struct {
	const char *text;
	uint64_t start, size; /* size 0: there is no entry */
	const char *name;
} rows[] = {
	{ "7f0010 20 name\n", 0x7f0010, 0x20, "name" },
	{ "0x7F0010 0X2a name with blanks", 0x7f0010, 0x2a, "name with blanks" },
	{ "\nbad\n10 1 good\n", 0x10, 1, "good" },
	{ "ffffffffffffffff 1 last", 0, 0, NULL },
	{ "fffffffffffffffe 1 last", 0xfffffffffffffffe, 1, "last" },
	{ "10000000000000000 1 large", 0, 0, NULL },
	{ "10 0 empty", 0, 0, NULL },
	{ "10 1 ", 0, 0, NULL },
	{ "10 1", 0, 0, NULL },
	{ "0x 1 none", 0, 0, NULL },
	{ "10\t1 tab", 0, 0, NULL },
	{ "", 0, 0, NULL },
};

START_TEST(reads_lines)
{
	struct cairn_bytes text = { (const uint8_t *)rows[_i].text, strlen(rows[_i].text) };
	struct perfmap map = perfmap_open(unit_exact(text));
	struct perfmap_entry entry;
	const bool found = perfmap_next(&map, &entry);

	ck_assert_int_eq(found, rows[_i].size > 0);
	if (!found)
		return;
	ck_assert_uint_eq(entry.start, rows[_i].start);
	ck_assert_uint_eq(entry.size, rows[_i].size);
	ck_assert_uint_eq(entry.name.size, strlen(rows[_i].name));
	ck_assert_mem_eq(entry.name.data, rows[_i].name, entry.name.size);
	ck_assert(!perfmap_next(&map, &entry));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("perfmap");
	TCase *tcase = tcase_create("perfmap");

	tcase_add_loop_test(tcase, reads_lines, 0, COUNT(rows));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
