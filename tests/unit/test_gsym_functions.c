/* SPDX-License-Identifier: MIT */
/* Functions of GSYM files as they are handed to writers: what struct function promises holds. */
#include "unit.h"

#include "failing_alloc.h"
#include "fixture_gsym.h"

#include "formats/gsym/gsym.h"
#include "symbols/gsym.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const files[][2] = { { "src", "a.c" }, { "src", "b.c" } };

static const struct fixture_node nodes[] = {
	{ 0, "outer", 0, 0, 1, { { 0, 0x30 } } },
	{ 1, "twice", 1, 7, 2, { { 0x20, 0x20 }, { 4, 8 } } },
	{ 2, "inner", 2, 8, 1, { { 0, 0x40 } } },
	{ 1, "outside", 1, 9, 1, { { 0x30, 8 } } },
	{ 2, "lost", 1, 9, 1, { { 0, 4 } } },
	{ 1, "", 9, 9, 2, { { 0x10, 4 }, { 0x12, 4 } } },
	{ 1, "nowhere", 0, 17, 1, { { 0x18, 4 } } },
};

static const struct fixture_function_info twins[] = {
	{ 0x1000, 0x20, "twin", BYTES("\0\0\1\4\0"), .nodes = NULL },
};

static const struct fixture_call calls[] = { { 5, 1, { "target", "other" } },
	                                     { 9, 2, { NULL, NULL } } };

static const struct fixture_function_info functions[] = {
	/* rows at +4 (twice), +8 in file 2, and +0x44 behind the end */
	{ 0x1000, 0x40, "outer", BYTES("\0\1\1\2\4\2\0\1\2\2\4\2\x3c\0"), nodes, COUNT(nodes),
	  twins, 1, calls, 2, 7 },
	{ 0x1040, 0, "unsized", BYTES("\0\1\5\1\5\2\0\0"), .nodes = NULL },
	{ 0x1060, 0x20, "broken", BYTES("\0\1\1\4\2\4"), .nodes = NULL },
	{ 0x1080, 0x20, "plain", { NULL, 0 }, .nodes = NULL },
};

static const struct fixture_gsym made = { .version = 1,
	                                  .width = 2,
	                                  .base = 0x1000,
	                                  .functions = functions,
	                                  .count = COUNT(functions),
	                                  .files = (const char *const (*)[2])files,
	                                  .file_count = COUNT(files) };

static const char expected[] = "outer 0x1000+0x40\n"
			       " row 0x1000 0:0\n row 0x1004 1:1\n row 0x1008 2:1\n"
			       " 1 twice 1:7 0x1004-0x100c 0x1020-0x1030\n"
			       " 2 inner 2:8 0x1020-0x1030\n"
			       " 1  0:9 0x1010-0x1016\n"
			       " 1 nowhere 0:17 0x1018-0x101c\n"
			       " call 5 1 target other\n call 9 2\n"
			       "twin 0x1000+0x20\n row 0x1000 1:1\n"
			       "unsized 0x1040+0x0\n row 0x1040 0:5\n"
			       "broken 0x1060+0x20\n row 0x1060 1:1\n row 0x1064 1:1\n"
			       "plain 0x1080+0x20\n";

static FILE *said;

static void say_inlines(const struct function *f)
{
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct function_inline *c = &f->inlines[i];
		fprintf(said, " %u %.*s %u:%u", c->depth, (int)c->name.size,
		        (const char *)c->name.data, c->call_file, c->call_line);
		for (uint32_t r = 0; r < c->ranges; r++)
			fprintf(said, " 0x%" PRIx64 "-0x%" PRIx64, f->range[c->range + r].low,
			        f->range[c->range + r].high);
		fputc('\n', said);
	}
}

static enum cairn_status say(void *context, const struct function *f)
{
	(void)context;
	fprintf(said, "%.*s 0x%" PRIx64 "+0x%" PRIx64 "\n", (int)f->name.size,
	        (const char *)f->name.data, f->start, f->size);
	for (size_t i = 0; i < f->row_count; i++)
		fprintf(said, " row 0x%" PRIx64 " %u:%u\n", f->rows[i].va, f->rows[i].file,
		        f->rows[i].line);
	say_inlines(f);
	for (size_t i = 0; i < f->call_count; i++) {
		fprintf(said, " call %" PRIu64 " %u", f->calls[i].return_offset, f->calls[i].flags);
		for (uint32_t k = 0; k < f->calls[i].callees; k++)
			fprintf(said, " %.*s", (int)f->calls[i].callee[k].size,
			        (const char *)f->calls[i].callee[k].data);
		fputc('\n', said);
	}
	return CAIRN_OK;
}

static const struct {
	const char *name;
	uint8_t version;
	bool big;
} forms[] = {
	{ "version 1", 1, false },
	{ "version 1, big-endian", 1, true },
	{ "version 2", 2, false },
};

START_TEST(hands_out_all)
{
	static struct fixture_out out;
	struct fixture_gsym form = made;
	struct gsym_losses losses;
	struct gsym gsym;
	struct cairn_fault fault;
	const struct function_sink sink = { say, NULL };
	char *text = NULL;
	size_t size = 0;

	form.version = forms[_i].version;
	form.big = forms[_i].big;
	fixture_gsym(&out, &form, NULL);
	ck_assert_int_eq(gsym_open((struct cairn_bytes){ out.data, out.size }, &gsym, &fault),
	                 CAIRN_OK);
	said = open_memstream(&text, &size);
	ck_assert_int_eq(gsym_functions(&gsym, &sink, false, &losses), CAIRN_OK);
	fclose(said);
	ck_assert_msg(strcmp(text, expected) == 0, "%s:\n%s", forms[_i].name, text);
	free(text);
	/* outer and unsized name a file that is not there, broken has no end */
	ck_assert_uint_eq(losses.count, 3);
	ck_assert_int_eq(losses.first.status, CAIRN_MALFORMED);
}
END_TEST

static enum cairn_status take_none(void *context, const struct function *f)
{
	(void)f;
	++*(unsigned *)context;
	return CAIRN_UNSUPPORTED;
}

START_TEST(the_sink_ends_it)
{
	static struct fixture_out out;
	struct gsym gsym;
	struct cairn_fault fault;
	unsigned taken = 0;
	const struct function_sink sink = { take_none, &taken };

	fixture_gsym(&out, &made, NULL);
	ck_assert_int_eq(gsym_open((struct cairn_bytes){ out.data, out.size }, &gsym, &fault),
	                 CAIRN_OK);
	ck_assert_int_eq(gsym_functions(&gsym, &sink, false, NULL), CAIRN_UNSUPPORTED);
	ck_assert_uint_eq(taken, 1);
}
END_TEST

static enum cairn_status take_any(void *context, const struct function *f)
{
	(void)context;
	(void)f;
	return CAIRN_OK;
}

START_TEST(lives_without_memory)
{
	static struct fixture_out out;
	const struct function_sink sink = { take_any, NULL };
	struct gsym gsym;
	struct cairn_fault fault;

	fixture_gsym(&out, &made, NULL);
	ck_assert_int_eq(gsym_open((struct cairn_bytes){ out.data, out.size }, &gsym, &fault),
	                 CAIRN_OK);
	for (size_t n = 1;; n++) {
		failing_alloc_begin(n);
		enum cairn_status status = gsym_functions(&gsym, &sink, false, NULL);
		bool failed = failing_alloc_end();
		ck_assert_int_eq(status, failed ? CAIRN_NO_MEMORY : CAIRN_OK);
		if (!failed)
			break;
	}
}
END_TEST

/* Two functions whose records are one, read by walks that may read more or less of them. */
START_TEST(counts_shared_records)
{
	static struct fixture_out out;
	struct gsym gsym;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	fixture_gsym(&out, &made, NULL);
	ck_assert_int_eq(gsym_open((struct cairn_bytes){ out.data, out.size }, &gsym, &fault),
	                 CAIRN_OK);
	struct gsym_walk walk = gsym_walk(&gsym);
	ck_assert_uint_eq(walk.bytes.left, GSYM_WALK_TIMES * out.size + GSYM_WALK_LEAST);
	uint64_t before = walk.bytes.left;
	ck_assert(gsym_walk_take(&walk, 0, &fault));
	uint64_t once = before - walk.bytes.left;
	ck_assert_uint_gt(once, 0);
	walk.bytes.left = 2 * once;
	ck_assert(gsym_walk_take(&walk, 0, &fault) && gsym_walk_take(&walk, 0, &fault));
	ck_assert(!gsym_walk_take(&walk, 0, &fault));
	ck_assert_int_eq(fault.status, CAIRN_MALFORMED);
	ck_assert_uint_eq(fault.offset, gsym_info_at(&gsym, 0));
	walk.bytes = (struct allowance){ .left = once - 1 };
	ck_assert(!gsym_walk_take(&walk, 0, &fault) && walk.bytes.left == 0);
}
END_TEST

START_TEST(counts_names)
{
	static const uint8_t strings[] = "\0abcd\0efgh";
	static const struct gsym gsym = { .bytes = { strings, sizeof(strings) },
		                          .strings = { strings, sizeof(strings) } };
	struct gsym_names names = { &gsym, 12, 4 };
	struct cairn_bytes text;

	ck_assert_ptr_null(gsym_names_read(&names, 0, &text));
	ck_assert_uint_eq(text.size, 0);
	ck_assert_ptr_null(gsym_names_read(&names, 1, &text));
	ck_assert(text.size == 4 && names.left == 7 && names.tails == 4);
	/* "cd" begins inside of another */
	ck_assert_ptr_null(gsym_names_read(&names, 3, &text));
	ck_assert(text.size == 2 && names.left == 4 && names.tails == 1);
	ck_assert_ptr_nonnull(gsym_names_read(&names, 3, &text));
	ck_assert(text.size == 0 && names.tails == 0);
	ck_assert_ptr_nonnull(gsym_names_read(&names, 6, &text));
	ck_assert(text.size == 0 && names.left == 0);
	ck_assert_str_eq(gsym_names_read(&names, sizeof(strings), &text),
	                 "a name outside the string table");
	ck_assert_ptr_null(gsym_names_read(&names, 0, &text));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gsym_functions");
	TCase *all = tcase_create("functions");

	tcase_add_loop_test(all, hands_out_all, 0, COUNT(forms));
	tcase_add_test(all, the_sink_ends_it);
	tcase_add_test(all, lives_without_memory);
	tcase_add_test(all, counts_shared_records);
	tcase_add_test(all, counts_names);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
