/* SPDX-License-Identifier: MIT */
/* The program of a line table, opcode by opcode. */
#include "unit.h"

#include "fixture_out.h"

#include "formats/gsym/gsym.h"

enum { START = 0x1000, MAX_ROWS = 8, RANGES = 300 };

static struct gsym_rows open_rows(struct cairn_bytes table)
{
	struct gsym_block block = { GSYM_LINES, 0, unit_exact(table) };
	return gsym_rows(&block, START);
}

/* All windows that matter, every special opcode: as a division has it. */
static void check_division(uint64_t range)
{
	for (unsigned opcode = 4; opcode < 256; opcode++) {
		struct fixture_out out = { .size = 0 };
		struct gsym_row row;
		fixture_out_put(&out, 0, 1);
		fixture_out_put(&out, (range - 1) & 0x7f ? 0x80 | ((range - 1) & 0x7f) : 0x80, 1);
		fixture_out_put(&out, (range - 1) >> 7, 1);
		fixture_out_put(&out, 100, 1);
		fixture_out_put(&out, opcode, 1);
		fixture_out_put(&out, 0, 1);
		struct gsym_rows rows = open_rows(fixture_out_bytes(&out));
		ck_assert(gsym_next_row(&rows, &row));
		ck_assert_uint_eq(row.va, START + (opcode - 4) / range);
		ck_assert_uint_eq(row.line, 100 + (opcode - 4) % range);
		ck_assert_uint_eq(row.file, 1);
		ck_assert(!gsym_next_row(&rows, &row));
		ck_assert_int_eq(rows.fault.status, CAIRN_OK);
	}
}

START_TEST(divides_as_division_does)
{
	for (uint64_t range = 1; range <= RANGES; range++)
		check_division(range);
}
END_TEST

static const struct {
	const char *name;
	struct cairn_bytes table;
	enum cairn_status status;
	size_t fault;
	unsigned count;
	struct gsym_row rows[MAX_ROWS];
} tables[] = {
	{ "nothing but an end", BYTES("\0\0\1\0"), CAIRN_OK, 0, 0, { { 0 } } },
	{ "window below zero",
	  BYTES("\x7c\x7e\144\4\5\6\0"),
	  CAIRN_OK,
	  0,
	  3,
	  { { START, 1, 96 }, { START, 1, 93 }, { START, 1, 91 } } },
	{ "other file",
	  BYTES("\0\0\1\1\7\4\1\0\4\0"),
	  CAIRN_OK,
	  0,
	  2,
	  { { START, 7, 1 }, { START, 0, 1 } } },
	{ "advance",
	  BYTES("\0\0\1\2\0\2\x80\2\2\xff\xff\3\0"),
	  CAIRN_OK,
	  0,
	  3,
	  { { START, 1, 1 }, { START + 0x100, 1, 1 }, { START + 0x100ff, 1, 1 } } },
	{ "line both ways",
	  BYTES("\0\0\12\3\5\4\3\x76\4\3\xff\x3f\4\3\x80\x40\4\0"),
	  CAIRN_OK,
	  0,
	  4,
	  { { START, 1, 15 }, { START, 1, 5 }, { START, 1, 0x2004 }, { START, 1, 4 } } },
	{ "long line step",
	  BYTES("\0\0\12\3\x80\x80\4\4\0"),
	  CAIRN_OK,
	  0,
	  1,
	  { { START, 1, 0x1000a } } },
	{ "line wraps",
	  BYTES("\0\0\0\3\x7f\4\3\1\4\0"),
	  CAIRN_OK,
	  0,
	  2,
	  { { START, 1, UINT32_MAX }, { START, 1, 0 } } },
	{ "first line of more than 32 bits",
	  BYTES("\0\0\x81\x80\x80\x80\x20\4\0"),
	  CAIRN_OK,
	  0,
	  1,
	  { { START, 1, 1 } } },
	{ "address wraps",
	  BYTES("\0\0\1\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0"),
	  CAIRN_OK,
	  0,
	  1,
	  { { START - 1, 1, 1 } } },
	{ "file of more than 32 bits",
	  BYTES("\0\0\1\1\x80\x80\x80\x80\x20\4\0"),
	  CAIRN_OK,
	  0,
	  1,
	  { { START, UINT32_MAX, 1 } } },
	{ "padded numbers",
	  BYTES("\x80\0\x80\x80\0\x81\0\2\x84\x80\0\0"),
	  CAIRN_OK,
	  0,
	  1,
	  { { START + 4, 1, 1 } } },
	{ "window of all numbers",
	  BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\3\5"
	        "\0"),
	  CAIRN_OK,
	  0,
	  1,
	  { { START, 1, 4 } } },
	{ "empty table", BYTES(""), CAIRN_TRUNCATED, 0, 0, { { 0 } } },
	{ "no first line", BYTES("\0\0"), CAIRN_TRUNCATED, 2, 0, { { 0 } } },
	{ "no end", BYTES("\0\0\1\4"), CAIRN_TRUNCATED, 4, 1, { { START, 1, 1 } } },
	{ "cut in a number", BYTES("\0\0\1\4\2\x80"), CAIRN_TRUNCATED, 5, 1, { { START, 1, 1 } } },
	{ "cut behind opcode 1", BYTES("\0\0\1\1"), CAIRN_TRUNCATED, 4, 0, { { 0 } } },
	{ "cut behind opcode 3", BYTES("\0\0\1\3\x80"), CAIRN_TRUNCATED, 4, 0, { { 0 } } },
	{ "number too wide",
	  BYTES("\0\0\1\2\xff\xff\xff\xff\xff\xff\xff\xff\xff\2\0"),
	  CAIRN_MALFORMED,
	  4,
	  0,
	  { { 0 } } },
	{ "step too wide",
	  BYTES("\0\0\1\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\2\0"),
	  CAIRN_MALFORMED,
	  4,
	  0,
	  { { 0 } } },
	{ "backward window",
	  BYTES("\1\0\1\2\4\4\0"),
	  CAIRN_MALFORMED,
	  5,
	  1,
	  { { START + 4, 1, 1 } } },
};

START_TEST(runs_the_program)
{
	struct gsym_rows rows = open_rows(tables[_i].table);
	struct gsym_row row;
	unsigned count = 0;

	while (gsym_next_row(&rows, &row)) {
		ck_assert_uint_lt(count, tables[_i].count);
		const struct gsym_row *want = &tables[_i].rows[count++];
		ck_assert_msg(row.va == want->va && row.file == want->file &&
		                      row.line == want->line,
		              "%s: row %u: 0x%llx file %u line %u", tables[_i].name, count - 1,
		              (unsigned long long)row.va, row.file, row.line);
	}
	ck_assert_uint_eq(count, tables[_i].count);
	ck_assert_msg(rows.fault.status == tables[_i].status, "%s: %s", tables[_i].name,
	              cairn_status_name(rows.fault.status));
	if (rows.fault.status != CAIRN_OK)
		ck_assert_uint_eq(rows.fault.offset, tables[_i].fault + 8);
	ck_assert(!gsym_next_row(&rows, &row));
}
END_TEST

/* Rows 0, 4, 4 again, 16, and back to 8. */
static const struct {
	uint64_t va;
	bool found;
	uint32_t line;
} searches[] = {
	{ START - 1, false, 0 }, { START, true, 1 },      { START + 3, true, 1 },
	{ START + 4, true, 3 },  { START + 15, true, 3 }, { START + 16, true, 5 },
	{ START + 17, true, 5 }, { UINT64_MAX, true, 5 },
};

START_TEST(finds_the_last_row_before)
{
	static const struct cairn_bytes table =
		BYTES("\0\1\1\4\3\1\2\4\5\3\1\2\14\3\1\2\xf8\xff\xff\xff\xff\xff\xff\xff\xff\1\0");
	struct gsym_rows rows = open_rows(table);
	struct gsym_row row = { 0, 0, 77 };
	bool found = gsym_find_row(&rows, searches[_i].va, &row);

	ck_assert_int_eq(found, searches[_i].found);
	ck_assert_uint_eq(row.line, found ? searches[_i].line : 77);
	ck_assert_int_eq(rows.fault.status, CAIRN_OK);
}
END_TEST

/* What other readers do not see: two steps of 0 at the beginning, then one to turn the flag, two for
 * the end of the prologue. */
static const struct {
	const char *name;
	struct cairn_bytes table;
	bool marked;
	const char *flags; /* of each row: s statement, p prologue's end, - neither, b both; upper
	                      case: apart */
} marked[] = {
	{ "no marks", BYTES("\0\1\1\4\6\0"), false, "--" },
	{ "a step of 0 alone, as LLVM writes", BYTES("\1\4\1\3\0\2\0\3\0\2\4\0"), false, "--" },
	{ "two between rows say nothing", BYTES("\0\1\1\4\3\0\3\0\6\0"), false, "--" },
	{ "marks behind a file are none", BYTES("\0\1\1\1\2\3\0\3\0\4\6\0"), false, "--" },
	{ "marks and nothing else", BYTES("\0\1\1\3\0\3\0\4\4\0"), true, "ss" },
	{ "turned, and back", BYTES("\0\1\1\3\0\3\0\4\3\0\6\6\3\0\6\0"), true, "s--s" },
	{ "the first begins none", BYTES("\0\1\1\3\0\3\0\3\0\4\6\0"), true, "--" },
	{ "a prologue", BYTES("\0\1\1\3\0\3\0\4\3\0\3\0\6\6\0"), true, "sbs" },
	{ "a prologue that begins none", BYTES("\0\1\1\3\0\3\0\4\3\0\3\0\3\0\6\0"), true, "sp" },
	{ "other steps between", BYTES("\0\1\1\3\0\3\0\4\3\0\3\5\1\2\6\0"), true, "s-" },
	{ "apart", BYTES("\0\1\1\3\0\3\0\3\0\3\0\3\0\3\0\4\0"), true, "S" },
	{ "all at once", BYTES("\0\1\1\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\4\6\0"), true, "P-" },
	{ "more bits than there are", BYTES("\0\1\1\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\3\0\4\0"),
	  true, "s" },
	{ "of more bytes than needed", BYTES("\0\1\1\3\x80\0\3\x80\0\4\0"), false, "-" },
	{ "cut", BYTES("\0\1\1\3\0\3"), false, "" },
};

START_TEST(tells_of_statements)
{
	static const char letters[] = "-spb=SPB";
	struct gsym_rows rows = open_rows(marked[_i].table);
	char flags[MAX_ROWS + 1] = "";
	struct gsym_row row;

	ck_assert_msg(rows.marked == marked[_i].marked, "%s", marked[_i].name);
	for (size_t i = 0; i < MAX_ROWS && gsym_next_row(&rows, &row); i++)
		flags[i] = letters[(rows.statement ? 1 : 0) + (rows.prologue_end ? 2 : 0) +
		                   (rows.apart ? 4 : 0)];
	ck_assert_msg(strcmp(flags, marked[_i].flags) == 0, "%s: %s", marked[_i].name, flags);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("gsym lines");
	TCase *lines = tcase_create("lines");

	tcase_add_test(lines, divides_as_division_does);
	tcase_add_loop_test(lines, runs_the_program, 0, COUNT(tables));
	tcase_add_loop_test(lines, finds_the_last_row_before, 0, COUNT(searches));
	tcase_add_loop_test(lines, tells_of_statements, 0, COUNT(marked));
	suite_add_tcase(s, lines);
	return unit_run(s);
}
