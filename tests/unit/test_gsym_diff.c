/* SPDX-License-Identifier: MIT */
/* Differences of GSYM files: each kind alone, their order, damage, and files that encode the same otherwise. */
#include "unit.h"

#include "failing_alloc.h"
#include "fixture_gsym.h"

#include "writers/gsym/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const files[][2] = { { "src", "a.c" }, { "src", "b.c" } };
static const char *const other_files[][2] = { { "src", "b.c" }, { "", "src/a.c" } };

/* a.c:10 at +0, a.c:11 at +4, b.c:12 at +8 */
#define ROWS BYTES("\0\0\x0a\2\0\3\1\2\4\1\2\3\1\2\4\0")
/* the same with the numbers of other_files, and another window */
#define OTHER_ROWS BYTES("\0\1\x0a\1\2\2\0\x0d\1\1\3\1\2\4\0")
/* a.c:20 from +4 on */
#define LATER_ROWS BYTES("\0\0\x0a\2\0\3\x0a\2\4\0")
/* nothing is known from +4 to +8 */
#define HOLE_ROWS BYTES("\0\0\x0a\2\0\3\x76\1\0\2\4\1\2\3\x0c\2\4\0")

static const struct fixture_node calls[] = {
	{ 0, "f", 0, 0, 1, { { 0, 0x20 } } },
	{ 1, "inner", 1, 11, 2, { { 4, 4 }, { 0x10, 4 } } },
	{ 2, "deep", 2, 3, 1, { { 0, 2 } } },
	{ 1, "last", 1, 12, 1, { { 0x18, 4 } } },
};
static const struct fixture_node other_calls[] = {
	{ 0, "f", 0, 0, 1, { { 0, 0x20 } } },
	{ 1, "inner", 2, 11, 2, { { 4, 4 }, { 0x10, 4 } } },
	{ 2, "deep", 1, 3, 1, { { 0, 2 } } },
	{ 1, "last", 2, 12, 1, { { 0x18, 4 } } },
};
static const struct fixture_node changed_calls[] = {
	{ 0, "f", 0, 0, 1, { { 0, 0x20 } } },
	{ 1, "inner", 1, 11, 2, { { 4, 4 }, { 0x10, 8 } } },
	{ 1, "last", 1, 13, 1, { { 0x18, 4 } } },
	{ 1, "more", 1, 14, 1, { { 0x1e, 2 } } },
};
static const struct fixture_call sites[] = { { 5, 1, { "g", "h" } }, { 9, 0, { NULL, NULL } } };
static const struct fixture_call other_sites[] = { { 5, 1, { "g", "i" } },
	                                           { 12, 0, { NULL, NULL } } };
static const struct fixture_function_info twin[] = { { 0x1000, 0x20, "twin", ROWS,
	                                               .nodes = NULL } };

#define F(size, name, lines)                             \
	{                                                \
		0x1000, size, name, lines, .nodes = NULL \
	}
#define NONE            \
	{               \
		NULL, 0 \
	}

static const struct {
	const char *what;
	struct fixture_function_info first[4], second[4];
	size_t firsts, seconds;
	const char *expected;
	bool other; /* the second file has other_files */
	struct gsym_diff_options options;
} cases[] = {
	{ "equal",
	  { F(0x20, "f", ROWS) },
	  { F(0x20, "f", ROWS) },
	  1,
	  1,
	  "1 0 0 0\n",
	  .other = false },
	{ "equal, with other numbers",
	  { { 0x1000, 0x20, "f", ROWS, calls, COUNT(calls), .merged = NULL } },
	  { { 0x1000, 0x20, "f", OTHER_ROWS, other_calls, COUNT(other_calls), .merged = NULL } },
	  1,
	  1,
	  "1 0 0 0\n",
	  .other = true },
	{ "only in one",
	  { F(0x20, "f", ROWS), { 0x1020, 4, "g", NONE, .nodes = NULL } },
	  { { 0x0ff0, 8, "e", NONE, .nodes = NULL }, F(0x20, "f", ROWS) },
	  2,
	  2,
	  "second e 0xff0\nfirst g 0x1020\n1 0 1 1\n",
	  .other = false },
	{ "names",
	  { F(0x20, "f", ROWS) },
	  { F(0x20, "g", ROWS) },
	  1,
	  1,
	  "name f g\n0 1 0 0\n",
	  .other = false },
	{ "sizes",
	  { F(0x20, "f", ROWS) },
	  { F(0x10, "f", ROWS) },
	  1,
	  1,
	  "size 32 16\n0 1 0 0\n",
	  .other = false },
	{ "size and name",
	  { F(0x20, "f", ROWS) },
	  { F(0x10, "g", ROWS) },
	  1,
	  1,
	  "first f 0x1000\nsecond g 0x1000\n0 0 1 1\n",
	  .other = false },
	{ "lines",
	  { F(0x20, "f", ROWS) },
	  { F(0x20, "f", LATER_ROWS) },
	  1,
	  1,
	  "line 0x1004..0x1008 1:11 1:20\nline 0x1008..0x1020 2:12 1:20\n0 1 0 0\n",
	  .other = false },
	{ "lines of which one file knows nothing",
	  { F(0x20, "f", ROWS) },
	  { F(0x20, "f", HOLE_ROWS) },
	  1,
	  1,
	  "line 0x1004..0x1008 1:11 -\n0 1 0 0\n",
	  .other = false },
	{ "no lines at all",
	  { F(0x20, "f", NONE) },
	  { F(0x20, "f", ROWS) },
	  1,
	  1,
	  "line 0x1000..0x1004 - 1:10\nline 0x1004..0x1008 - 1:11\nline 0x1008..0x1020 - 2:12\n0 1 "
	  "0 0\n",
	  .other = false },
	{ "lines of functions without a size",
	  { F(0, "f", ROWS) },
	  { F(0, "f", LATER_ROWS) },
	  1,
	  1,
	  "line 0x1004..0x1008 1:11 1:20\nline 0x1008..0xffffffffffffffff 2:12 1:20\n0 1 0 0\n",
	  .other = false },
	{ "inlined calls",
	  { { 0x1000, 0x20, "f", ROWS, calls, COUNT(calls), .merged = NULL } },
	  { { 0x1000, 0x20, "f", ROWS, changed_calls, COUNT(changed_calls), .merged = NULL } },
	  1,
	  1,
	  "call 0x1004 inner:11 inner:11\ncall 0x1004 deep:3 -\ncall 0x1018 last:12 last:13\n"
	  "call 0x101e - more:14\n0 1 0 0\n",
	  .other = false },
	{ "several functions at one address: the same, by name, by size, and the rest",
	  { F(4, "s", NONE), F(8, "n", NONE), F(0x10, "x", NONE), F(0x20, "f", ROWS) },
	  { F(5, "y", NONE), F(9, "n", NONE), F(0x10, "z", NONE), F(0x20, "f", ROWS) },
	  4,
	  4,
	  "size 8 9\nname x z\nfirst s 0x1000\nsecond y 0x1000\n1 2 1 1\n",
	  .other = false },
	{ "in another order",
	  { F(0x10, "a", NONE), F(0x10, "b", NONE), F(0x20, "f", ROWS) },
	  { F(0x20, "f", ROWS), F(0x10, "b", NONE), F(0x10, "a", NONE) },
	  3,
	  3,
	  "3 0 0 0\n",
	  .other = false },
	{ "call sites do not count",
	  { { 0x1000, 0x20, "f", NONE, .calls = sites, .call_count = COUNT(sites) } },
	  { F(0x20, "f", NONE) },
	  1,
	  1,
	  "1 0 0 0\n",
	  .other = false },
	{ "call sites",
	  { { 0x1000, 0x20, "f", NONE, .calls = sites, .call_count = COUNT(sites) } },
	  { { 0x1000, 0x20, "f", NONE, .calls = other_sites, .call_count = COUNT(other_sites) } },
	  1,
	  1,
	  "site 0x1005 2 2\nsite 0x1009 0 -\nsite 0x100c - 0\n0 1 0 0\n",
	  .options = { .calls = true } },
	{ "merged functions do not count",
	  { { 0x1000, 0x20, "f", ROWS, .merged = twin, .merged_count = 1 } },
	  { F(0x20, "f", ROWS) },
	  1,
	  1,
	  "1 0 0 0\n",
	  .other = false },
	{ "merged functions",
	  { { 0x1000, 0x20, "f", ROWS, .merged = twin, .merged_count = 1 } },
	  { F(0x20, "f", ROWS) },
	  1,
	  1,
	  "first twin 0x1000\n1 0 1 0\n",
	  .options = { .merged = true } },
	{ "merged in one file, apart in the other",
	  { { 0x1000, 0x20, "f", ROWS, .merged = twin, .merged_count = 1 } },
	  { F(0x20, "f", ROWS), F(0x20, "twin", ROWS) },
	  1,
	  2,
	  "2 0 0 0\n",
	  .options = { .merged = true } },
	{ "marks do not count",
	  { F(0x20, "f", BYTES("\0\0\x0a\3\0\3\0\2\0\3\1\2\4\0")) },
	  { F(0x20, "f", BYTES("\0\0\x0a\3\0\3\0\2\0\3\0\3\1\2\4\0")) },
	  1,
	  1,
	  "1 0 0 0\n",
	  .other = false },
	{ "marks",
	  { F(0x20, "f", BYTES("\0\0\x0a\3\0\3\0\2\0\3\1\2\4\0")) },
	  { F(0x20, "f", BYTES("\0\0\x0a\3\0\3\0\2\0\3\0\3\1\2\4\0")) },
	  1,
	  1,
	  "marks 0x1004\n0 1 0 0\n",
	  .options = { .statements = true } },
};

static void print_row(FILE *out, const struct gsym_difference_side *side)
{
	if (side->row)
		fprintf(out, " %" PRIu32 ":%" PRIu32, side->row->file, side->row->line);
	else
		fputs(" -", out);
}

static void print_call(FILE *out, const struct gsym_difference_side *side)
{
	if (side->call)
		fprintf(out, " %.*s:%" PRIu32, (int)side->call->name.size,
		        (const char *)side->call->name.data, side->call->call_line);
	else
		fputs(" -", out);
}

static void print_site(FILE *out, const struct gsym_difference_side *side)
{
	if (side->site)
		fprintf(out, " %" PRIu32, side->site->callees);
	else
		fputs(" -", out);
}

static void print_whole(FILE *out, const char *which, const struct function *f)
{
	fprintf(out, "%s %.*s 0x%" PRIx64 "\n", which, (int)f->name.size,
	        (const char *)f->name.data, f->start);
}

static void print_line(FILE *out, const struct gsym_difference *d)
{
	if (d->marks_only) {
		fprintf(out, "marks 0x%" PRIx64 "\n", d->low);
		return;
	}
	fprintf(out, "line 0x%" PRIx64 "..0x%" PRIx64, d->low, d->high);
	print_row(out, &d->first);
	print_row(out, &d->second);
	fputc('\n', out);
}

static bool print_difference(void *context, const struct gsym_difference *d)
{
	FILE *out = context;

	switch (d->kind) {
	case GSYM_ONLY_FIRST:
		print_whole(out, "first", d->first.function);
		break;
	case GSYM_ONLY_SECOND:
		print_whole(out, "second", d->second.function);
		break;
	case GSYM_DIFFERENT_RANGE:
		fprintf(out, "size %" PRIu64 " %" PRIu64 "\n", d->first.function->size,
		        d->second.function->size);
		break;
	case GSYM_DIFFERENT_NAME:
		fprintf(out, "name %.*s %.*s\n", (int)d->first.function->name.size,
		        (const char *)d->first.function->name.data,
		        (int)d->second.function->name.size,
		        (const char *)d->second.function->name.data);
		break;
	case GSYM_DIFFERENT_LINES:
		print_line(out, d);
		break;
	case GSYM_DIFFERENT_INLINE:
		fprintf(out, "call 0x%" PRIx64, d->low);
		print_call(out, &d->first);
		print_call(out, &d->second);
		fputc('\n', out);
		break;
	case GSYM_DIFFERENT_CALL:
		fprintf(out, "site 0x%" PRIx64, d->low);
		print_site(out, &d->first);
		print_site(out, &d->second);
		fputc('\n', out);
		break;
	}
	return true;
}

static void open_made(struct fixture_out *out, const struct fixture_gsym *form, struct gsym *gsym)
{
	struct cairn_fault fault;

	fixture_gsym(out, form, NULL);
	ck_assert_int_eq(gsym_open((struct cairn_bytes){ out->data, out->size }, gsym, &fault),
	                 CAIRN_OK);
}

static void make_pair(int index, uint8_t version, bool big, struct gsym *first, struct gsym *second)
{
	static struct fixture_out out[2];
	const struct fixture_gsym a = { .version = 1,
		                        .width = 2,
		                        .base = 0xff0,
		                        .functions = cases[index].first,
		                        .count = cases[index].firsts,
		                        .files = files,
		                        .file_count = COUNT(files) };
	struct fixture_gsym b = a;

	b.version = version;
	b.big = big;
	b.base = 0x10;
	b.functions = cases[index].second;
	b.count = cases[index].seconds;
	b.files = cases[index].other ? other_files : files;
	open_made(&out[0], &a, first);
	open_made(&out[1], &b, second);
}

static void compare_case(int index, uint8_t version, bool big)
{
	struct gsym first, second;
	struct gsym_diff_counts counts;
	struct cairn_fault fault;
	bool in_second;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const struct gsym_difference_sink sink = { print_difference, out };

	make_pair(index, version, big, &first, &second);
	ck_assert_int_eq(gsym_diff(&first, &second, &cases[index].options, &sink, &counts, &fault,
	                           &in_second),
	                 CAIRN_OK);
	fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts.equal,
	        counts.differ, counts.only_first, counts.only_second);
	fclose(out);
	ck_assert_msg(strcmp(text, cases[index].expected) == 0, "%s: %s", cases[index].what, text);
	ck_assert_uint_eq(counts.lost_first.count + counts.lost_second.count, 0);
	free(text);
}

START_TEST(finds_each_kind)
{
	compare_case(_i, 1, false);
	compare_case(_i, 2, true);
}
END_TEST

static bool count_difference(void *context, const struct gsym_difference *d)
{
	(void)d;
	return --*(int *)context > 0;
}

START_TEST(ends_when_the_sink_has_enough)
{
	struct gsym first, second;
	struct gsym_diff_counts counts;
	struct cairn_fault fault;
	bool in_second;

	for (size_t i = 0; i < COUNT(cases); i++) {
		int left = 1;
		const struct gsym_difference_sink sink = { count_difference, &left };
		make_pair((int)i, 1, false, &first, &second);
		ck_assert_int_eq(gsym_diff(&first, &second, &cases[i].options, &sink, &counts,
		                           &fault, &in_second),
		                 CAIRN_OK);
		ck_assert_int_ge(left, 0);
	}
}
END_TEST

START_TEST(lives_without_memory)
{
	struct gsym first, second;
	struct gsym_diff_counts counts;
	struct cairn_fault fault;
	bool in_second;

	make_pair(_i, 1, false, &first, &second);
	for (size_t n = 1;; n++) {
		int left = 1000;
		const struct gsym_difference_sink sink = { count_difference, &left };
		failing_alloc_begin(n);
		enum cairn_status status = gsym_diff(&first, &second, &cases[_i].options, &sink,
		                                     &counts, &fault, &in_second);
		bool failed = failing_alloc_end();
		ck_assert_int_eq(status, failed ? CAIRN_NO_MEMORY : CAIRN_OK);
		if (!failed)
			break;
	}
}
END_TEST

/* What cannot be compared, and in which of the files. */
static const struct {
	const char *what;
	struct fixture_function_info functions[2];
	size_t count;
	enum cairn_status status;
	uint64_t lost;
} damaged[] = {
	{ "addresses are not in ascending order",
	  { { 0x1020, 4, "g", NONE, .nodes = NULL }, { 0x1000, 4, "f", NONE, .nodes = NULL } },
	  2,
	  CAIRN_MALFORMED,
	  0 },
	{ "a line table without an end",
	  { { 0x1000, 0x20, "f", BYTES("\0\0\x0a\2"), .nodes = NULL } },
	  1,
	  CAIRN_OK,
	  1 },
	{ "a name outside the string table",
	  { { 0x1000, 0x20, NULL, NONE, .nodes = NULL } },
	  1,
	  CAIRN_OK,
	  1 },
};

START_TEST(reports_damage)
{
	static struct fixture_out out[2];
	struct fixture_gsym form = { .version = 1,
		                     .width = 2,
		                     .base = 0x1000,
		                     .functions = cases[0].first,
		                     .count = 1,
		                     .files = files,
		                     .file_count = COUNT(files) };
	struct gsym sound, broken;
	struct gsym_diff_counts counts;
	struct cairn_fault fault;
	bool in_second;
	int left = 1000;
	const struct gsym_difference_sink sink = { count_difference, &left };
	const struct gsym_diff_options none = { .merged = false };

	open_made(&out[0], &form, &sound);
	form.functions = damaged[_i].functions;
	form.count = damaged[_i].count;
	open_made(&out[1], &form, &broken);
	ck_assert_int_eq(gsym_diff(&sound, &broken, &none, &sink, &counts, &fault, &in_second),
	                 damaged[_i].status);
	ck_assert(in_second == (damaged[_i].status != CAIRN_OK));
	ck_assert_uint_eq(counts.lost_second.count, damaged[_i].lost);
	ck_assert_int_eq(gsym_diff(&broken, &sound, &none, &sink, &counts, &fault, &in_second),
	                 damaged[_i].status);
	ck_assert(!in_second);
	ck_assert_uint_eq(counts.lost_first.count, damaged[_i].lost);
	if (fault.status != CAIRN_OK)
		ck_assert_str_eq(fault.what, damaged[_i].what);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gsym_diff");
	TCase *all = tcase_create("diff");

	tcase_add_loop_test(all, finds_each_kind, 0, COUNT(cases));
	tcase_add_test(all, ends_when_the_sink_has_enough);
	tcase_add_loop_test(all, lives_without_memory, 0, COUNT(cases));
	tcase_add_loop_test(all, reports_damage, 0, COUNT(damaged));
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
