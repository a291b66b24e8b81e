/* SPDX-License-Identifier: MIT */
/* What the check of a whole file reports: each flaw once, with its offset, and no others. */
#include "unit.h"

#include "fixture_gsym.h"

#include "formats/gsym/gsym.h"

#include <inttypes.h>

static const char *const files[][2] = { { "src", "a.c" } };

static const struct fixture_node nodes[] = {
	{ 0, "first", 0, 0, 1, { { 0, 0x20 } } },
	{ 1, "call", 1, 3, 1, { { 4, 4 } } },
};

static const struct fixture_function_info twins[] = {
	{ 0x1000, 0x20, "twin", BYTES("\0\0\1\4\0"), .nodes = NULL },
};

static const struct fixture_call calls[] = { { 5, 0, { "target", NULL } } };

static const struct fixture_function_info functions[] = {
	{ 0x1000, 0x20, "first", BYTES("\0\1\1\4\2\4\2\4\0"), nodes, 2, twins, 1, calls, 1, 7 },
	{ 0x1040, 0x20, "second", { NULL, 0 }, .nodes = NULL },
	{ 0x1060, 0x20, "third", { NULL, 0 }, .nodes = NULL },
};

static const struct fixture_gsym made = { .version = 1,
	                                  .width = 2,
	                                  .base = 0x1000,
	                                  .uuid = BYTES("\1\2\3\4"),
	                                  .functions = functions,
	                                  .count = COUNT(functions),
	                                  .files = (const char *const (*)[2])files,
	                                  .file_count = COUNT(files) };

enum place { NOWHERE, ADDRESSES, INFOS, FILES, RECORD, LINES, INLINES, MERGED, CALLS };

static size_t place_of(enum place place, const struct fixture_gsym_places *p)
{
	const size_t places[] = { 0,        p->addresses, p->infos,  p->files, p->record[0],
		                  p->lines, p->inlines,   p->merged, p->calls };
	return places[place];
}

static const struct {
	const char *name;
	enum place place;
	size_t at;
	uint64_t value;
	size_t width;
	enum cairn_status flaw;
	enum place flaw_place;
	size_t flaw_at;
	unsigned count;
} rows[] = {
	{ "sound", NOWHERE, 0, 0, 0, CAIRN_OK, NOWHERE, 0, 0 },
	{ "table out of order", ADDRESSES, 2, 0x70, 2, CAIRN_MALFORMED, ADDRESSES, 4, 1 },
	{ "path", FILES, 16, 0xffff, 4, CAIRN_MALFORMED, FILES, 4, 4 },
	{ "file 0", FILES, 8, 1, 4, CAIRN_MALFORMED, FILES, 4, 1 },
	{ "record", INFOS, 0, 0xffff, 4, CAIRN_MALFORMED, INFOS, 0, 1 },
	{ "no name", RECORD, 4, 0, 4, CAIRN_MALFORMED, RECORD, 4, 1 },
	{ "name", RECORD, 4, 0xffff, 4, CAIRN_MALFORMED, RECORD, 4, 1 },
	{ "lines without end", LINES, 16, 4, 1, CAIRN_TRUNCATED, LINES, 17, 1 },
	{ "file of a row", LINES, 11, 1, 1, CAIRN_MALFORMED, LINES, 8, 1 },
	{ "name of a call", INLINES, 22, 0xffff, 4, CAIRN_MALFORMED, INLINES, 22, 1 },
	{ "file of a call", INLINES, 26, 9, 1, CAIRN_MALFORMED, INLINES, 22, 1 },
	{ "tree without end", INLINES, 28, 1, 1, CAIRN_TRUNCATED, INLINES, 29, 1 },
	{ "merged count", MERGED, 8, 2, 4, CAIRN_TRUNCATED, MERGED, 45, 1 },
	{ "merged length", MERGED, 12, 99, 4, CAIRN_TRUNCATED, MERGED, 12, 1 },
	{ "merged without name", MERGED, 20, 0, 4, CAIRN_MALFORMED, MERGED, 20, 1 },
	{ "merged in merged", MERGED, 24, 3, 4, CAIRN_MALFORMED, MERGED, 24, 1 },
	{ "number of calls", CALLS, 8, 9, 4, CAIRN_TRUNCATED, CALLS, 29, 1 },
	{ "names of a call site", CALLS, 21, 9, 4, CAIRN_TRUNCATED, CALLS, 21, 1 },
	{ "name of a call site", CALLS, 25, 0xffff, 4, CAIRN_MALFORMED, CALLS, 25, 1 },
};

/* All flaws; the one looked for is in *found. */
static unsigned check(const struct gsym *gsym, enum cairn_status status, size_t offset, bool *found)
{
	static struct gsym_nodes scratch;
	struct gsym_flaws flaws;
	unsigned count = 0;
	uint32_t next = 0;

	*found = false;
	do {
		gsym_check_tables(gsym, &next, &flaws);
		count += flaws.count;
		for (unsigned i = 0; i < flaws.count; i++)
			*found = *found ||
			         (flaws.list[i].status == status && flaws.list[i].offset == offset);
	} while (next);
	for (uint32_t f = 0; f < gsym->functions; f++) {
		gsym_check_function(gsym, f, &scratch, &flaws);
		count += flaws.count;
		for (unsigned i = 0; i < flaws.count; i++)
			*found = *found ||
			         (flaws.list[i].status == status && flaws.list[i].offset == offset);
	}
	return count;
}

START_TEST(reports_each_flaw)
{
	static struct fixture_out out;
	struct fixture_gsym_places p;
	struct cairn_fault fault;
	struct gsym gsym;
	bool found;

	fixture_gsym(&out, &made, &p);
	fixture_out_poke(&out, place_of(rows[_i].place, &p) + rows[_i].at, rows[_i].value,
	                 rows[_i].width);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	size_t expected = place_of(rows[_i].flaw_place, &p) + rows[_i].flaw_at;
	unsigned count = check(&gsym, rows[_i].flaw, expected, &found);
	ck_assert_msg(count == rows[_i].count, "%s: %u flaws", rows[_i].name, count);
	ck_assert_msg(found == (rows[_i].count > 0), "%s: not at %zu", rows[_i].name, expected);
}
END_TEST

/* More flaws than one answer holds are handed out in turns. */
START_TEST(reports_many_flaws)
{
	static struct fixture_function_info many[FIXTURE_FUNCTIONS_MAX];
	static struct fixture_out out;
	struct fixture_gsym back = made;
	struct cairn_fault fault;
	struct gsym gsym;
	bool found;

	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = (struct fixture_function_info){ .start = 0x2000 - i,
			                                  .size = 1,
			                                  .name = "x" };
	back.functions = many;
	back.count = COUNT(many);
	fixture_gsym(&out, &back, NULL);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_uint_eq(check(&gsym, CAIRN_MALFORMED, 50, &found), FIXTURE_FUNCTIONS_MAX - 1);
	ck_assert(found);
}
END_TEST

START_TEST(reports_rows_that_go_back)
{
	static struct fixture_out out;
	struct fixture_function_info back[] = {
		{ 0x1000, 0x20, "x",
		  BYTES("\0\1\1\4\2\x10\2\xf8\xff\xff\xff\xff\xff\xff\xff\xff\1\0"),
		  .nodes = NULL },
	};
	struct fixture_gsym one = made;
	struct fixture_gsym_places p;
	struct cairn_fault fault;
	struct gsym gsym;
	bool found;

	one.functions = back;
	one.count = 1;
	fixture_gsym(&out, &one, &p);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_uint_eq(check(&gsym, CAIRN_MALFORMED, p.lines + 8, &found), 1);
	ck_assert(found);
}
END_TEST

START_TEST(reports_a_range_past_all_addresses)
{
	static struct fixture_out out;
	struct fixture_function_info far[] = {
		{ .start = UINT64_MAX - 15, .size = 17, .name = "x" }
	};
	struct fixture_gsym high = made;
	struct fixture_gsym_places p;
	struct cairn_fault fault;
	struct gsym gsym;
	bool found;

	high.base = UINT64_MAX - 15;
	high.functions = far;
	high.count = 1;
	fixture_gsym(&out, &high, &p);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_uint_eq(check(&gsym, CAIRN_MALFORMED, p.record[0], &found), 1);
	ck_assert(found);
}
END_TEST

/* A tree as deep as it may be, and one level more. */
START_TEST(limits_the_depth)
{
	static struct fixture_node deep[GSYM_MAX_LEVELS + 2];
	static struct fixture_out out;
	static uint32_t levels[GSYM_MAX_LEVELS];
	struct fixture_function_info f = { 0x1000, 0x20, "deep",        { NULL, 0 },
		                           deep,   0,    .merged = NULL };
	struct fixture_gsym one = made;
	struct fixture_gsym_places p;
	struct gsym_inline innermost;
	struct gsym_lookup lookup;
	struct cairn_fault fault;
	struct gsym gsym;
	bool found;

	for (unsigned i = 0; i < COUNT(deep); i++)
		deep[i] = (struct fixture_node){ i, "n", i != 0, 1, 1, { { 0, 0x20 } } };
	f.node_count = (size_t)(GSYM_MAX_LEVELS + 1 + _i);
	one.functions = &f;
	one.count = 1;
	fixture_gsym(&out, &one, &p);
	ck_assert_int_eq(gsym_open(unit_exact(fixture_out_bytes(&out)), &gsym, &fault), CAIRN_OK);
	ck_assert_int_eq(gsym_find(&gsym, 0x1000, &lookup), CAIRN_OK);
	struct gsym_tree tree = gsym_tree(&gsym, &lookup.inlines, 0x1000);
	unsigned depth = gsym_find_inlines(&tree, 0x1000, levels, &innermost);
	ck_assert_uint_eq(depth, _i ? 0 : GSYM_MAX_LEVELS);
	ck_assert_int_eq(lookup.fault.status, _i ? CAIRN_MALFORMED : CAIRN_OK);
	ck_assert_uint_eq(check(&gsym, CAIRN_MALFORMED, lookup.fault.offset, &found), (unsigned)_i);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("gsym check");
	TCase *flaws = tcase_create("flaws");

	tcase_add_loop_test(flaws, reports_each_flaw, 0, COUNT(rows));
	tcase_add_test(flaws, reports_many_flaws);
	tcase_add_test(flaws, reports_rows_that_go_back);
	tcase_add_test(flaws, reports_a_range_past_all_addresses);
	tcase_add_loop_test(flaws, limits_the_depth, 0, 2);
	suite_add_tcase(s, flaws);
	return unit_run(s);
}
