/* SPDX-License-Identifier: MIT */
/* The list of inferiors as GDB prints it. */
#include "unit.h"

#include "queries/gdb_output.h"

static const struct {
	const char *name, *said;
	unsigned rows;
	struct inferior_row last;
} rows[] = {
	{ "nothing", "", 0, { 0 } },
	{ "a header alone",
	  "  Num  Description       Connection           Executable        \n",
	  0,
	  { 0 } },
	{ "a process",
	  "  Num  Description       Connection           Executable        \n"
	  "* 1    process 24457     1 (native)           /srv/app      \n",
	  1,
	  { 1, true, false, 24457 } },
	{ "a core beside it",
	  "* 1    process 24457     1 (native)           /srv/app      \n"
	  "  2    process 1         2 (core)             /srv/app      \n",
	  2,
	  { 2, false, true, 1 } },
	{ "a core without a program",
	  "* 12   process 1         3 (core)   ",
	  1,
	  { 12, true, true, 1 } },
	{ "a process of a program with that name",
	  "  3    process 7         1 (native)           /srv/(core)\n",
	  1,
	  { 3, false, false, 7 } },
	{ "an inferior without anything",
	  "  4    <null>                                                 \n",
	  1,
	  { 4, false, false, 0 } },
	{ "other output",
	  "[New inferior 2]\nAdded inferior 2\n* 1 <null>\nDebuginfod is \"ask\".\n",
	  1,
	  { 1, true, false, 0 } },
	{ "a number with letters", "  2nd\n", 0, { 0 } },
	{ "a number that is too large",
	  "* 99999999999999999999999 <null>\n",
	  1,
	  { UINT64_MAX, true, false, 0 } },
};

START_TEST(reads_rows)
{
	const char *at = rows[_i].said;
	struct inferior_row row = { 0 };
	unsigned count = 0;

	while (inferiors_next(&at, &row))
		count++;
	ck_assert_uint_eq(count, rows[_i].rows);
	if (count == 0)
		return;
	ck_assert_uint_eq(row.number, rows[_i].last.number);
	ck_assert(row.is_current == rows[_i].last.is_current);
	ck_assert(row.is_core == rows[_i].last.is_core);
	ck_assert_uint_eq(row.process, rows[_i].last.process);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inferiors");
	TCase *tcase = tcase_create("inferiors");

	tcase_add_loop_test(tcase, reads_rows, 0, COUNT(rows));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
