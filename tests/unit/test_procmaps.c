/* SPDX-License-Identifier: MIT */
/* Tests the lines of /proc/PID/maps, sound and damaged. */
#include "unit.h"

#include "formats/procmaps.h"

/* A line, whether it is one, and what it tells. */
static const struct {
	const char *line;
	bool good;
	uint64_t low, high;
	const char *access;
	uint64_t offset, inode;
	const char *path;
	bool deleted;
} rows[] = {
	{ "00400000-00401000 r-xp 00002000 fe:01 77     /bin/x", true, 0x400000, 0x401000, "r-xp",
	  0x2000, 77, "/bin/x", false },
	{ "7f00-7f01 rw-s 00000000 00:00 0 ", true, 0x7f00, 0x7f01, "rw-s", 0, 0, "", false },
	{ "7f00-7f01 ---p 00000000 00:00 0", true, 0x7f00, 0x7f01, "---p", 0, 0, "", false },
	{ "0-ffffffffffffffff r--p ffffffffffffffff 00:00 18446744073709551615 [heap]", true, 0,
	  UINT64_MAX, "r--p", UINT64_MAX, UINT64_MAX, "[heap]", false },
	{ "1-2 rwxp 0 0:0 9 /a b\\012c (deleted)", true, 1, 2, "rwxp", 0, 9, "/a b\\012c", true },
	{ "1-2 rwxp 0 0:0 9 (deleted)", true, 1, 2, "rwxp", 0, 9, "(deleted)", false },
	{ "1-2 rwxp 0 0:0 9 /a(deleted)", true, 1, 2, "rwxp", 0, 9, "/a(deleted)", false },
	{ "2-2 rwxp 0 0:0 9 /a", false, 0, 0, "", 0, 0, "", false },
	{ "3-2 rwxp 0 0:0 9 /a", false, 0, 0, "", 0, 0, "", false },
	{ "-2 rwxp 0 0:0 9 /a", false, 0, 0, "", 0, 0, "", false },
	{ "1 2 rwxp 0 0:0 9 /a", false, 0, 0, "", 0, 0, "", false },
	{ "1-2 rwx 0 0:0 9 /a", false, 0, 0, "", 0, 0, "", false },
	{ "1-2 wrxp 0 0:0 9 /a", false, 0, 0, "", 0, 0, "", false },
	{ "1-2 rwxp 0 00 9 /a", false, 0, 0, "", 0, 0, "", false },
	{ "1-2 rwxp 0 0:0 9a /a", false, 0, 0, "", 0, 0, "", false },
	{ "1-2 rwxp 0 0:0 18446744073709551616 /a", false, 0, 0, "", 0, 0, "", false },
	{ "1-10000000000000000 rwxp 0 0:0 9 /a", false, 0, 0, "", 0, 0, "", false },
	{ "1-2 rwxp 0 0:0", false, 0, 0, "", 0, 0, "", false },
	{ "1-2", false, 0, 0, "", 0, 0, "", false },
};

START_TEST(reads_lines)
{
	struct cairn_bytes text = { (const uint8_t *)rows[_i].line, strlen(rows[_i].line) };
	struct procmaps maps = procmaps_open(unit_exact(text));
	struct procmaps_entry entry;

	ck_assert_msg(procmaps_next(&maps, &entry) == rows[_i].good, "%s", rows[_i].line);
	ck_assert_uint_eq(maps.bad, !rows[_i].good);
	if (!rows[_i].good)
		return;
	ck_assert(entry.low == rows[_i].low && entry.high == rows[_i].high);
	ck_assert_int_eq(entry.readable, rows[_i].access[0] == 'r');
	ck_assert_int_eq(entry.writable, rows[_i].access[1] == 'w');
	ck_assert_int_eq(entry.executable, rows[_i].access[2] == 'x');
	ck_assert_int_eq(entry.shared, rows[_i].access[3] == 's');
	ck_assert(entry.offset == rows[_i].offset && entry.inode == rows[_i].inode);
	ck_assert_uint_eq(entry.path.size, strlen(rows[_i].path));
	ck_assert_mem_eq(entry.path.data, rows[_i].path, entry.path.size);
	ck_assert_int_eq(entry.deleted, rows[_i].deleted);
	ck_assert(!procmaps_next(&maps, &entry));
}
END_TEST

START_TEST(passes_over_bad_lines)
{
	static const struct cairn_bytes text =
		BYTES("1-2 r--p 0 0:0 1 a\nbad\n\nworse\n3-4 r--p 0 0:0 1 b\n");
	struct procmaps maps = procmaps_open(text);
	struct procmaps_entry entry;

	ck_assert(procmaps_next(&maps, &entry) && entry.low == 1);
	ck_assert(procmaps_next(&maps, &entry) && entry.low == 3);
	ck_assert(!procmaps_next(&maps, &entry));
	ck_assert_uint_eq(maps.bad, 2);
	ck_assert_uint_eq(maps.first_bad, 19);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("procmaps");
	TCase *procmaps = tcase_create("procmaps");

	tcase_add_loop_test(procmaps, reads_lines, 0, COUNT(rows));
	tcase_add_test(procmaps, passes_over_bad_lines);
	suite_add_tcase(s, procmaps);
	return unit_run(s);
}
