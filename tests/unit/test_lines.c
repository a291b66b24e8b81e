/* SPDX-License-Identifier: MIT */
/* The rows that are kept of a line table: one for each address, or all that debuggers use. */
#include "unit.h"

#include "fixture_out.h"

#include "debuginfo/lines.h"

#include <stdio.h>

/* Version 5, base -3, range 12, first special opcode 13; a folder and a file. */
static void make(struct fixture_out *out, struct cairn_bytes program)
{
	static const char head[] = "\1\1\1\xfd\x0c\x0d\0\1\1\1\1\0\0\0\1\0\0\1"
				   "\1\1\x08\1/s\0\1\1\x08\1f.c\0";

	*out = (struct fixture_out){ .size = 0 };
	fixture_out_put(out, 0, 4);
	fixture_out_put(out, 5, 2);
	fixture_out_put(out, 0x0008, 2);
	fixture_out_put(out, sizeof(head) - 1, 4);
	fixture_out_text(out, head, sizeof(head) - 1);
	fixture_out_text(out, (const char *)program.data, program.size);
	fixture_out_poke(out, 0, out->size - 4, 4);
}

/*
 * At 0x10 line 2, which ends no prologue; line 3 begins there too, and then the instruction is line 2's
 * again.  0x14 is line 2 still, but a statement begins; 0x18 ends the prologue.  0x1c is line 5's,
 * in which 4 has no part.
 */
static const struct cairn_bytes program = BYTES("\0\x09\2\x10\0\0\0\0\0\0\0"
                                                "\3\1\1"       /* 0x10: 2 s */
                                                "\x11"         /* 0x10: 3 s */
                                                "\6\x0f"       /* 0x10: 2 */
                                                "\6\2\4\1"     /* 0x14: 2 s */
                                                "\6\2\4\x0a\1" /* 0x18: 2 p */
                                                "\2\4\3\2\1"   /* 0x1c: 4 */
                                                "\x11"         /* 0x1c: 5 */
                                                "\2\4\0\1\1"); /* 0x20: the end */

/*
 * Line 2's statement hides line 3 at 0x10 from a debugger, which takes 2 up to the next row.  It looks at each address
 * with a row when it steps: so 0x14 and 0x18 keep theirs.
 */
static const struct cairn_bytes hiding = BYTES("\0\x09\2\x10\0\0\0\0\0\0\0"
                                               "\3\1\1"       /* 0x10: 2 s */
                                               "\6\x11"       /* 0x10: 3 */
                                               "\2\4\1"       /* 0x14: 3 */
                                               "\2\4\1"       /* 0x18: 3 */
                                               "\2\4\0\1\1"); /* 0x1c: the end */

/*
 * Line 2 goes on at 0x14 and 0x18, the latter in a block that has a discriminator: GDB passes over it, and
 * over 0x1c, too.  At 0x20 it takes line 3, and at 0x24 line 3 again, of which no block has one.  The
 * sequence ends, and the next one begins with its line.
 */
static const struct cairn_bytes blocks = BYTES("\0\x09\2\x10\0\0\0\0\0\0\0"
                                               "\3\1\1"         /* 0x10: 2 s */
                                               "\2\4\1"         /* 0x14: 2 s */
                                               "\2\4\0\2\4\5\1" /* 0x18: 2 s, discriminator 5 */
                                               "\2\4\1"         /* 0x1c: 2 s */
                                               "\2\4\x11"       /* 0x20: 3 s */
                                               "\2\4\1"         /* 0x24: 3 s */
                                               "\2\4\0\2\4\1\1" /* 0x28: 3 s, discriminator 1 */
                                               "\2\4\0\1\1"     /* 0x2c: the end */
                                               "\0\x09\2\x2c\0\0\0\0\0\0\0"
                                               "\3\2\0\2\4\1\1" /* 0x2c: 3 s, discriminator 1 */
                                               "\2\4\0\1\1");   /* 0x30: the end */

/*
 * What is no statement where one begins in another file GDB ignores: it takes line 3 of the other file
 * from 0x14 on, whatever the discriminator.  Then 0x18 and 0x1c are passed over.
 */
static const struct cairn_bytes ignored = BYTES("\0\x09\2\x10\0\0\0\0\0\0\0"
                                                "\3\1\1"             /* 0x10: 2 s */
                                                "\4\0\6\0\2\4\1\x11" /* 0x10: 3, file 0 */
                                                "\2\4\1"             /* 0x14: 3 */
                                                "\2\4\0\2\4\1\1"     /* 0x18: 3 */
                                                "\2\4\6\1"           /* 0x1c: 3 s */
                                                "\2\4\0\1\1");       /* 0x20: the end */

/*
 * The statement at 0x14 is passed over, because its line has a discriminator, and hides line 3 of the other file all the
 * same: so it is kept.
 */
static const struct cairn_bytes passed = BYTES("\0\x09\2\x10\0\0\0\0\0\0\0"
                                               "\3\1\1"         /* 0x10: 2 s */
                                               "\2\4\0\2\4\1\1" /* 0x14: 2 s, discriminator 1 */
                                               "\4\0\6\x11"     /* 0x14: 3, file 0 */
                                               "\2\4\0\1\1");   /* 0x18: the end */

static const struct {
	const struct cairn_bytes *program;
	bool every_row;
	struct cairn_range range;
	const char *rows; /* address:line, s statement, p prologue's end */
} cuts[] = {
	{ &program, false, { 0x10, 0x20 }, "10:2 1c:5 " },
	{ &program, false, { 0x12, 0x1c }, "12:2 " },
	{ &program, true, { 0x10, 0x20 }, "10:2s 10:3s 10:2 14:2s 18:2p 1c:5 " },
	{ &program, true, { 0x12, 0x18 }, "12:2 14:2s " },
	{ &program, true, { 0x14, 0x19 }, "14:2s 18:2p " },
	{ &program, true, { 0x0c, 0x11 }, "c:0 10:2s 10:3s 10:2 " },
	{ &hiding, false, { 0x10, 0x1c }, "10:3 " },
	{ &hiding, true, { 0x10, 0x1c }, "10:2s 10:3 14:3 18:3 " },
	{ &hiding, true, { 0x12, 0x1c }, "12:3 14:3 18:3 " },
	{ &ignored, true, { 0x10, 0x20 }, "10:2s 10:3 14:3 " },
	{ &passed, true, { 0x10, 0x18 }, "10:2s 14:2s 14:3 " },
	{ &blocks, false, { 0x10, 0x30 }, "10:2 20:3 " },
	{ &blocks, true, { 0x10, 0x30 }, "10:2s 14:2s 20:3s 24:3s 2c:3s " },
	{ &blocks, true, { 0x1c, 0x24 }, "1c:2s 20:3s " },
};

START_TEST(keeps_what_was_asked_for)
{
	static struct fixture_out out;
	struct cairn_bytes none = BYTES("");
	struct cairn_range all = { 0, 0x1000 };
	const struct code_ranges text = { .range = &all, .count = 1 };
	struct dwarf_bases bases = { .addr = 0 };
	struct budget_pool pool;
	struct budget budget = { .pool = &pool };
	struct string_store texts = { .budget = &budget };
	struct dwarf_unit unit = { .version = 5, .address_size = 8, .offset_size = 4 };
	struct lines lines = { .budget = &budget, .every_row = cuts[_i].every_row };
	struct lines_hint hint = { .line = 0 };
	char said[128] = "";
	struct lines_cut cut;
	size_t size = 0;

	make(&out, *cuts[_i].program);
	struct dwarf_sections sections = { none, none, unit_exact(fixture_out_bytes(&out)),
		                           none, none, none,
		                           none, none, none,
		                           false };
	struct lines_source source = { .sections = &sections,
		                       .unit = &unit,
		                       .bases = &bases,
		                       .text = &text,
		                       .comp_dir = none,
		                       .texts = &texts };
	budget_pool_open(&pool);
	ck_assert(lines_read(&lines, &source, 0));
	ck_assert_int_eq(lines.fault.status, CAIRN_OK);
	ck_assert(lines_clip(&lines, cuts[_i].range, &hint, &cut));
	for (size_t i = 0; i < cut.count; i++) {
		const struct function_row *row = &cut.row[i];
		size += (size_t)snprintf(said + size, sizeof(said) - size, "%llx:%u%s%s ",
		                         (unsigned long long)row->va, row->line,
		                         row->statement ? "s" : "", row->prologue_end ? "p" : "");
	}
	ck_assert_str_eq(said, cuts[_i].rows);
	lines_finish(&lines);
	string_store_finish(&texts);
	budget_pool_close(&pool);
}
END_TEST

/* A table is drawn from the budget each time it is read. */
START_TEST(counts_each_time)
{
	static struct fixture_out out;
	struct cairn_bytes none = BYTES("");
	struct cairn_range all = { 0, 0x1000 };
	const struct code_ranges text = { .range = &all, .count = 1 };
	struct dwarf_bases bases = { .addr = 0 };
	struct budget_pool pool;
	struct budget budget = { .pool = &pool };
	struct string_store texts = { .budget = &budget };
	struct dwarf_unit unit = { .version = 5, .address_size = 8, .offset_size = 4 };
	struct lines lines = { .budget = &budget };
	unsigned reads = 0;

	make(&out, program);
	struct dwarf_sections sections = { none, none, unit_exact(fixture_out_bytes(&out)),
		                           none, none, none,
		                           none, none, none,
		                           false };
	struct lines_source source = { &sections, &unit, &bases, &text, none, &texts };
	budget_pool_open(&pool);
	while (lines_read(&lines, &source, 0))
		ck_assert_uint_le(++reads, BUDGET_WORK_BASE);
	ck_assert(reads > 1000 && budget.exhausted);
	ck_assert_int_eq(budget.spent, BUDGET_WORK);
	lines_finish(&lines);
	string_store_finish(&texts);
	budget_pool_close(&pool);
}
END_TEST

/* Sequences from 0x10 to 0x18 of lines 2 and 3, at 0x20 of 4, and 0x30 of 5, which begins again at 0x2c. */
static const struct cairn_bytes sequences =
	BYTES("\0\x09\2\x10\0\0\0\0\0\0\0\3\1\1\2\4\3\1\1\2\4\0\1\1"
              "\5\3\0\x09\2\x20\0\0\0\0\0\0\0\3\3\1\2\4\0\1\1"
              "\0\x09\2\x30\0\0\0\0\0\0\0\3\4\1\2\4\1\0\x09\2\x2c\0\0\0\0\0\0\0"
              "\1\2\4\0\1\1");

static const struct {
	struct cairn_range asked;
	size_t passed;
} asked[] = {
	{ { 0x12, 0x13 }, 1 }, /* the last one has addresses that go back */
	{ { 0x20, 0x21 }, 1 },
	{ { 0x2c, 0x2d }, 2 },
	{ { 0x40, 0x41 }, 2 },
};

static void clip_words(struct lines *lines, struct cairn_range range, char words[128])
{
	struct lines_hint hint = { .line = 0 };
	struct lines_cut cut;
	size_t size = 0;

	words[0] = '\0';
	ck_assert(lines_clip(lines, range, &hint, &cut));
	for (size_t i = 0; i < cut.count; i++)
		size += (size_t)snprintf(words + size, 128 - size, "%llx:%u ",
		                         (unsigned long long)cut.row[i].va, cut.row[i].line);
}

/* Rows of code that nobody asks for are left out, and are there as soon as somebody does. */
START_TEST(reads_rows_when_they_are_wanted)
{
	static struct fixture_out out;
	static const struct cairn_range ranges[] = {
		{ 0x10, 0x18 }, { 0x20, 0x24 }, { 0x2c, 0x34 }, { 8, 0x40 }
	};
	struct cairn_bytes none = BYTES("");
	struct cairn_range all = { 0, 0x1000 };
	const struct code_ranges text = { .range = &all, .count = 1 };
	struct dwarf_bases bases = { .addr = 0 };
	struct budget_pool pool;
	struct budget budget = { .pool = &pool };
	struct string_store texts = { .budget = &budget };
	struct dwarf_unit unit = { .version = 5, .address_size = 8, .offset_size = 4 };
	struct lines whole = { .budget = &budget }, part = { .budget = &budget };
	char want[128], got[128];

	make(&out, sequences);
	struct dwarf_sections sections = { none, none, unit_exact(fixture_out_bytes(&out)),
		                           none, none, none,
		                           none, none, none,
		                           false };
	struct lines_source source = { &sections, &unit, &bases, &text, none, &texts };
	budget_pool_open(&pool);
	ck_assert(lines_read(&whole, &source, 0));
	part.asked = &asked[_i].asked;
	part.asked_count = 1;
	for (size_t i = 0; i < COUNT(ranges); i++) {
		ck_assert(lines_read(&part, &source, 0));
		ck_assert_uint_eq(part.passed, asked[_i].passed);
		ck_assert_uint_eq(part.sequences, whole.sequences);
		clip_words(&whole, ranges[i], want);
		clip_words(&part, ranges[i], got);
		ck_assert_str_eq(got, want);
	}
	ck_assert_uint_eq(part.passed, 0);
	lines_finish(&whole);
	lines_finish(&part);
	string_store_finish(&texts);
	budget_pool_close(&pool);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lines");
	TCase *tests = tcase_create("lines");

	tcase_add_loop_test(tests, keeps_what_was_asked_for, 0, COUNT(cuts));
	tcase_add_test(tests, counts_each_time);
	tcase_add_loop_test(tests, reads_rows_when_they_are_wanted, 0, COUNT(asked));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
