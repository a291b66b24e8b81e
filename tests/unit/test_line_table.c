/* SPDX-License-Identifier: MIT */
/* Line tables as lookups read them: the row of an address, the path of a file, and what both may cost. */
#include "unit.h"

#include "fixture_out.h"

#include "debuginfo/lookup/line_table.h"

#include <stdlib.h>

/* Address base 0, range 1, first special opcode 13: opcode 14 is an address on, and a row. */
static const char lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

struct reading {
	struct budget_pool pool;
	struct budget budget;
	struct dwarf_sections sections;
	struct line_table table;
	struct string_store texts;
};

/* Version 4 (folder "d", file "f" in it, "g" in folder 0) or 5 (folder "d", files "f" and "g"). */
static void make(struct fixture_out *out, unsigned version, struct cairn_bytes program)
{
	*out = (struct fixture_out){ .size = 0 };
	fixture_out_put(out, 0, 4);
	fixture_out_put(out, version, 2);
	if (version >= 5)
		fixture_out_put(out, 0x0008, 2);
	size_t header = out->size;
	fixture_out_put(out, 0, 4);
	fixture_out_text(out, "\1\1\1\0\1\15", 6);
	fixture_out_text(out, lengths, sizeof(lengths));
	if (version >= 5)
		fixture_out_text(out, "\1\1\x08\1d\0\2\1\x08\2\x0b\2f\0\0g\0\7", 18);
	else
		fixture_out_text(out, "d\0\0f\0\1\0\0g\0\0\0\0\0", 14);
	fixture_out_poke(out, header, out->size - header - 4, 4);
	fixture_out_text(out, (const char *)program.data, program.size);
	fixture_out_poke(out, 0, out->size - 4, 4);
}

static bool read_table(struct reading *r, struct cairn_bytes section)
{
	const struct cairn_bytes none = BYTES(""), comp_dir = BYTES("/c");

	budget_pool_open(&r->pool);
	r->budget = (struct budget){ .pool = &r->pool };
	r->texts = (struct string_store){ .budget = &r->budget };
	r->sections = (struct dwarf_sections){ none, none, section, none, none,
		                               none, none, none,    none, false };
	ck_assert(budget_credit(&r->pool, section));
	return line_table_read(&r->table, &r->sections, 0, 8, comp_dir, &r->budget);
}

static void close_table(struct reading *r)
{
	line_table_finish(&r->table);
	string_store_finish(&r->texts);
	budget_pool_close(&r->pool);
}

/* What the pool has given to its readers. */
static uint64_t drawn(const struct reading *r, enum budget_kind kind)
{
	return r->pool.all[kind] - r->pool.left[kind] - r->budget.left[kind];
}

static const struct {
	const char *name;
	struct cairn_bytes program;
	uint64_t va;
	unsigned line; /* 0: not found */
	uint64_t file;
	unsigned column;
} rows[] = {
	{ "no rows", BYTES(""), 0x10, 0, 0, 0 },
	{ "before the first", BYTES("\2\x10\1\2\4\0\1\1"), 0xf, 0, 0, 0 },
	{ "the first", BYTES("\2\x10\1\2\4\0\1\1"), 0x10, 1, 1, 0 },
	{ "its last byte", BYTES("\2\x10\1\2\4\0\1\1"), 0x13, 1, 1, 0 },
	{ "its end", BYTES("\2\x10\1\2\4\0\1\1"), 0x14, 0, 0, 0 },
	{ "without its end", BYTES("\2\x10\1\2\4\1"), 0x10, 0, 0, 0 },
	{ "the last of one address", BYTES("\1\3\4\4\2\5\7\1\2\4\0\1\1"), 2, 5, 2, 7 },
	{ "a column stays", BYTES("\5\7\1\16\16\2\4\0\1\1"), 2, 1, 1, 7 },
	{ "addresses go back", BYTES("\2\x20\1\x02\4\3\1\1\0\5\2\x10\0\0\0\3\1\1\2\4\0\1\1"), 0x12,
	  3, 1, 0 },
	{ "before they go back", BYTES("\2\x20\1\x02\4\3\1\1\0\5\2\x10\0\0\0\3\1\1\2\4\0\1\1"),
	  0x22, 1, 1, 0 },
	{ "the sequence that ends first",
	  BYTES("\3\4\1\2\x40\0\1\1"
	        "\2\x10\3\6\1\2\4\0\1\1"),
	  0x12, 7, 1, 0 },
	{ "after the one inside", BYTES("\3\4\1\2\x40\0\1\1\2\x10\3\6\1\2\4\0\1\1"), 0x14, 5, 1,
	  0 },
	{ "what came before damage", BYTES("\2\x10\1\2\4\0\1\1\0\5\2\1"), 0x11, 1, 1, 0 },
	{ "a file that is defined", BYTES("\4\3\0\6\3h\0\1\0\0\1\2\4\0\1\1"), 2, 1, 3, 0 },
};

START_TEST(finds_rows)
{
	static struct fixture_out out;
	struct reading r;
	struct dwarf_row row;

	make(&out, 4, rows[_i].program);
	ck_assert(read_table(&r, unit_exact(fixture_out_bytes(&out))));
	bool found = line_table_find(&r.table, rows[_i].va, &r.budget, &row);
	ck_assert_msg(found == (rows[_i].line > 0), "%s", rows[_i].name);
	if (found) {
		ck_assert_msg(row.line == rows[_i].line, "%s: %u", rows[_i].name, row.line);
		ck_assert_uint_eq(row.file, rows[_i].file);
		ck_assert_uint_eq(row.column, rows[_i].column);
	}
	close_table(&r);
}
END_TEST

/* A row for each byte of the program; what is kept of them is a small part of the table. */
START_TEST(keeps_few_rows)
{
	enum { ROWS = 50000 };
	static struct fixture_out out;
	static uint8_t program[ROWS + 5];
	struct reading r;
	struct dwarf_row row;

	for (size_t i = 0; i < ROWS; i++)
		program[i] = i % 2 ? 14 : 15; /* lines and addresses on, by one and two */
	memcpy(program + ROWS, "\2\1\0\1\1", 5);
	make(&out, 4, (struct cairn_bytes){ program, sizeof(program) });
	ck_assert(read_table(&r, unit_exact(fixture_out_bytes(&out))));
	uint64_t va = 0;
	for (size_t i = 0; i < ROWS; i++) {
		va += i % 2 ? 1 : 2;
		ck_assert(line_table_find(&r.table, va, &r.budget, &row));
		ck_assert_uint_eq(row.va, va);
	}
	ck_assert_uint_lt(drawn(&r, BUDGET_MEMORY), 2 * ROWS);
	ck_assert_uint_lt(drawn(&r, BUDGET_WORK), 2 * ROWS);
	close_table(&r);
}
END_TEST

/* Opcodes between two rows that a lookup runs again and again. */
START_TEST(draws_for_long_runs)
{
	static struct fixture_out out;
	static uint8_t program[LINE_TABLE_FREE + 100];
	struct reading r;
	struct dwarf_row row;

	memset(program, 6, sizeof(program)); /* is_stmt, and again */
	program[0] = 1;
	memcpy(program + sizeof(program) - 6, "\1\2\4\0\1\1", 6);
	make(&out, 4, (struct cairn_bytes){ program, sizeof(program) });
	ck_assert(read_table(&r, unit_exact(fixture_out_bytes(&out))));
	uint64_t before = drawn(&r, BUDGET_WORK);
	ck_assert(line_table_find(&r.table, 0, &r.budget, &row));
	ck_assert_uint_gt(drawn(&r, BUDGET_WORK) - before, LINE_TABLE_FREE);
	r.budget.exhausted = true;
	r.budget.left[BUDGET_WORK] = 0;
	ck_assert(!line_table_find(&r.table, 0, &r.budget, &row));
	close_table(&r);
}
END_TEST

static const struct {
	unsigned version;
	uint64_t number;
	const char *path;
} paths[] = {
	{ 4, 0, "" },          { 4, 1, "d/f" }, { 4, 2, "/c/g" }, { 4, 3, "" },
	{ 4, UINT64_MAX, "" }, { 5, 0, "d/f" }, { 5, 1, "g" },    { 5, 2, "" },
};

START_TEST(joins_paths)
{
	static struct fixture_out out;
	struct reading r;

	make(&out, paths[_i].version, (struct cairn_bytes)BYTES(""));
	ck_assert(read_table(&r, unit_exact(fixture_out_bytes(&out))));
	struct cairn_bytes path = line_files_path(&r.table.files, paths[_i].number, &r.texts);
	ck_assert_uint_eq(path.size, strlen(paths[_i].path));
	ck_assert(path.size == 0 || memcmp(path.data, paths[_i].path, path.size) == 0);
	struct cairn_bytes again = line_files_path(&r.table.files, paths[_i].number, &r.texts);
	ck_assert(path.size == 0 || again.data == path.data);
	close_table(&r);
}
END_TEST

/* A long folder with many files takes memory where a path is asked for, and there until the budget ends. */
START_TEST(joins_within_the_budget)
{
	enum { FOLDER = 20000, FILES = 7000 };
	static struct fixture_out out;
	struct reading r;
	size_t joined = 0;

	out = (struct fixture_out){ .size = 0 };
	fixture_out_put(&out, 0, 4);
	fixture_out_put(&out, 4, 2);
	fixture_out_put(&out, 0, 4);
	fixture_out_text(&out, "\1\1\1\0\1\15", 6);
	fixture_out_text(&out, lengths, sizeof(lengths));
	for (unsigned i = 0; i < FOLDER; i++)
		fixture_out_put(&out, 'd', 1);
	fixture_out_put(&out, 0, 2);
	for (unsigned i = 0; i < FILES; i++) {
		fixture_out_put(&out, 'a' + i % 26, 1);
		fixture_out_put(&out, 'a' + i / 26 % 26, 1);
		fixture_out_text(&out, "\0\1\0\0", 4);
	}
	fixture_out_put(&out, 0, 1);
	fixture_out_poke(&out, 6, out.size - 10, 4);
	fixture_out_poke(&out, 0, out.size - 4, 4);
	ck_assert(read_table(&r, unit_exact(fixture_out_bytes(&out))));
	ck_assert_uint_lt(drawn(&r, BUDGET_MEMORY), 2 << 20);
	while (joined < FILES &&
	       line_files_path(&r.table.files, joined + 1, &r.texts).size == FOLDER + 3)
		joined++;
	ck_assert_uint_gt(joined, 100);
	ck_assert_uint_lt(joined * FOLDER, r.pool.all[BUDGET_MEMORY]);
	ck_assert(r.budget.exhausted);
	close_table(&r);
}
END_TEST

/* Cut anywhere, and each byte damaged: no more is found than what is there. */
START_TEST(bears_damage)
{
	static struct fixture_out out;
	static const struct cairn_bytes program =
		BYTES("\2\x10\1\16\16\2\4\0\1\1\2\x40\1\2\4\0\1\1");
	struct reading r;
	struct dwarf_row row;

	make(&out, (unsigned)_i, program);
	for (size_t size = 0; size <= out.size; size++) {
		ck_assert(read_table(&r, unit_exact((struct cairn_bytes){ out.data, size })));
		bool found = line_table_find(&r.table, 0x11, &r.budget, &row);
		ck_assert(found == (size == out.size)); /* the header has the length */
		close_table(&r);
	}
	for (size_t at = 0; at < out.size; at++) {
		uint8_t was = out.data[at];
		for (unsigned bit = 0; bit < 8; bit++) {
			out.data[at] = (uint8_t)(was ^ 1u << bit);
			ck_assert(read_table(&r, unit_exact(fixture_out_bytes(&out))));
			for (uint64_t va = 0; va < 0x60; va++)
				if (line_table_find(&r.table, va, &r.budget, &row))
					ck_assert(row.va <= va);
			close_table(&r);
		}
		out.data[at] = was;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("line_table");
	TCase *tests = tcase_create("line_table");

	tcase_add_loop_test(tests, finds_rows, 0, COUNT(rows));
	tcase_add_test(tests, keeps_few_rows);
	tcase_add_test(tests, draws_for_long_runs);
	tcase_add_loop_test(tests, joins_paths, 0, COUNT(paths));
	tcase_add_test(tests, joins_within_the_budget);
	tcase_add_loop_test(tests, bears_damage, 4, 6);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
