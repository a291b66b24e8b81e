/* SPDX-License-Identifier: MIT */
/* Which unit has an address, by .debug_aranges: sets of each form, and damaged ones. */
#include "formats/dwarf/dwarf.h"

#include "unit.h"

#include <stdio.h>

#define WIDE_HEAD "\x3c\0\0\0\2\0\x10\0\0\0\x08\0\0\0\0\0" /* its length is that of three pairs */
#define PAIR(low, size) low "\0\0\0\0\0\0\0" size "\0\0\0\0\0\0\0"
#define END PAIR("\0", "\0")
#define NARROW_HEAD "\x1c\0\0\0\2\0\x20\0\0\0\4\0\0\0\0\0"
#define NARROW_PAIR(low, size) low "\0\0\0" size "\0\0\0"

/* Ranges as low-high@unit; and where the section is damaged, -1: nowhere. */
static const struct {
	const char *name;
	struct cairn_bytes section;
	bool big;
	const char *ranges;
	long fault;
} rows[] = {
	{ "nothing", BYTES(""), false, "", -1 },
	{ "two ranges", BYTES(WIDE_HEAD PAIR("\x40", "\x10") PAIR("\x80", "\1") END), false,
	  "40-50@10 80-81@10 ", -1 },
	{ "two sets",
	  BYTES(WIDE_HEAD PAIR("\x40", "\x10") PAIR("\x80", "\1")
	                END NARROW_HEAD NARROW_PAIR("\3", "\1") NARROW_PAIR("\0", "\0")),
	  false, "40-50@10 80-81@10 3-4@20 ", -1 },
	{ "an empty range", BYTES(WIDE_HEAD PAIR("\x40", "\0") PAIR("\x80", "\1") END), false,
	  "80-81@10 ", -1 },
	{ "a range round the end of memory",
	  BYTES(WIDE_HEAD "\xf0\xff\xff\xff\xff\xff\xff\xff\x20\0\0\0\0\0\0\0" PAIR("\x80", "\1")
	                END),
	  false, "80-81@10 ", -1 },
	{ "what follows the end of a set",
	  BYTES(WIDE_HEAD END PAIR("\x40", "\1") PAIR("\x80", "\1")), false, "", -1 },
	{ "a set without an end",
	  BYTES(WIDE_HEAD PAIR("\1", "\1") PAIR("\2", "\1") PAIR("\3", "\1")), false,
	  "1-2@10 2-3@10 3-4@10 ", -1 },
	{ "64-bit DWARF",
	  BYTES("\xff\xff\xff\xff\x34\0\0\0\0\0\0\0\2\0\x10\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0"
	        "\0" PAIR("\x40", "\1") END),
	  false, "40-41@10 ", -1 },
	{ "big-endian",
	  BYTES("\0\0\0\x1c\0\2\0\0\0\x10\4\0\0\0\0\0\0\0\0\x40\0\0\0\2\0\0\0\0\0\0\0\0"), true,
	  "40-42@10 ", -1 },
	{ "another version, then a set",
	  BYTES("\4\0\0\0\3\0\0\0" NARROW_HEAD NARROW_PAIR("\3", "\1") NARROW_PAIR("\0", "\0")),
	  false, "3-4@20 ", -1 },
	{ "segments",
	  BYTES("\x1c\0\0\0\2\0\x20\0\0\0\4\1\0\0\0\0" NARROW_PAIR("\3", "\1")
	                NARROW_PAIR("\0", "\0")),
	  false, "", -1 },
	{ "addresses of 2 bytes", BYTES("\x0c\0\0\0\2\0\x20\0\0\0\2\0\1\0\1\0"), false, "", -1 },
	{ "a set of nothing", BYTES("\0\0\0\0\0\0\0\0"), false, "", -1 },
	{ "a head that its length cuts",
	  BYTES("\4\0\0\0\2\0\x10\0" NARROW_HEAD NARROW_PAIR("\3", "\1") NARROW_PAIR("\0", "\0")),
	  false, "3-4@20 ", -1 },
	{ "a length past the end", BYTES("\x3d\0\0\0\2\0\x10\0\0\0\x08\0\0\0\0\0" END), false, "",
	  0 },
	{ "a length of 64 bits past the end",
	  BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), false, "", 4 },
	{ "a cut length", BYTES("\x3d\0"), false, "", 0 },
	{ "a cut pair", BYTES("\x14\0\0\0\2\0\x10\0\0\0\x08\0\0\0\0\0\1\0\0\0\0\0\0\0"), false, "",
	  -1 },
};

START_TEST(reads_ranges)
{
	struct dwarf_aranges aranges =
		dwarf_aranges_open(unit_exact(rows[_i].section), rows[_i].big);
	struct dwarf_arange range;
	char text[256] = "";

	while (dwarf_aranges_next(&aranges, &range))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%lx-%lx@%lx ",
		         (unsigned long)range.low, (unsigned long)range.high,
		         (unsigned long)range.unit);
	ck_assert_msg(strcmp(text, rows[_i].ranges) == 0, "%s: %s", rows[_i].name, text);
	ck_assert_msg(reader_ok(&aranges.in) == (rows[_i].fault < 0), "%s", rows[_i].name);
	if (rows[_i].fault >= 0)
		ck_assert_msg(aranges.in.fault.offset == (size_t)rows[_i].fault, "%s: %zu",
		              rows[_i].name, (size_t)aranges.in.fault.offset);
}
END_TEST

/* Those that touch a range, in the same order, and the same damage. */
START_TEST(reads_ranges_near)
{
	static const struct cairn_range near[] = {
		{ 0, 1 }, { 0x1000, 0x1001 }, { 0x1010, 0x2001 }, { 0x2010, UINT64_MAX }, { 5, 5 }
	};
	const struct cairn_bytes section = unit_exact(rows[_i].section);

	for (size_t i = 0; i < COUNT(near); i++) {
		struct dwarf_aranges all = dwarf_aranges_open(section, rows[_i].big), some = all;
		struct dwarf_arange want, got;
		while (dwarf_aranges_next(&all, &want)) {
			if (want.low >= near[i].high || want.high <= near[i].low)
				continue;
			ck_assert_msg(dwarf_aranges_next_near(&some, near[i], &got), "%s",
			              rows[_i].name);
			ck_assert_uint_eq(got.low, want.low);
			ck_assert_uint_eq(got.high, want.high);
			ck_assert_uint_eq(got.unit, want.unit);
		}
		ck_assert(!dwarf_aranges_next_near(&some, near[i], &got));
		ck_assert_int_eq(some.in.fault.status, all.in.fault.status);
		ck_assert_uint_eq(some.in.fault.offset, all.in.fault.offset);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("aranges");
	TCase *tcase = tcase_create("aranges");

	tcase_add_loop_test(tcase, reads_ranges, 0, COUNT(rows));
	tcase_add_loop_test(tcase, reads_ranges_near, 0, COUNT(rows));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
