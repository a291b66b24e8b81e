/* SPDX-License-Identifier: MIT */
/* Functions put together from ranges and calls, as a walk over entries tells them. */
#include "unit.h"

#include "debuginfo/function_builder.h"

#include <stdio.h>

enum { TEXT_LOW = 0x1000, TEXT_HIGH = 0x9000, GIVEN_SIZE = 2048 };

static const uint8_t nothing[1];

/* All that the sink was given, as text. */
struct given {
	char text[GIVEN_SIZE];
	size_t size;
	size_t refuse; /* the nth function, from 1; 0: none */
	size_t count;
};

#define SAY(given, ...)   \
	((given)->size += \
	 (size_t)snprintf((given)->text + (given)->size, GIVEN_SIZE - (given)->size, __VA_ARGS__))

static enum cairn_status take(void *context, const struct function *f)
{
	struct given *given = context;

	SAY(given, "%lx+%lx %s", (unsigned long)f->start, (unsigned long)f->size,
	    f->parted ? "parted " : "");
	for (size_t i = 0; i < f->inline_count; i++) {
		SAY(given, "(%lu", (unsigned long)f->inlines[i].depth);
		for (uint32_t r = 0; r < f->inlines[i].ranges; r++)
			SAY(given, " %lx-%lx", (unsigned long)f->range[f->inlines[i].range + r].low,
			    (unsigned long)f->range[f->inlines[i].range + r].high);
		if (f->statements)
			SAY(given, " at %lx", (unsigned long)f->inlines[i].entry);
		SAY(given, ") ");
	}
	for (size_t i = 0; i < f->call_count; i++)
		SAY(given, "call %lx ", (unsigned long)f->calls[i].return_offset);
	for (size_t i = 0; f->statements && i < f->row_count; i++)
		if (f->rows[i].apart)
			SAY(given, "apart %lx ", (unsigned long)f->rows[i].va);
	return ++given->count == given->refuse ? CAIRN_UNREADABLE : CAIRN_OK;
}

struct fake_target {
	struct budget_pool pool;
	struct budget budget;
	struct function_builder builder;
	struct lines lines;
	struct cairn_range text;
	struct code_ranges spans;
	struct program_summary summary;
	struct given given;
	struct function_sink sink;
};

static struct fake_target *begin(void)
{
	static struct fake_target world;
	static const struct dwarf_unit unit = { .version = 5, .address_size = 8 };

	world = (struct fake_target){ .text = { TEXT_LOW, TEXT_HIGH } };
	world.spans = (struct code_ranges){ &world.text, 1, 1 };
	world.sink = (struct function_sink){ take, &world.given };
	world.builder.text = &world.spans;
	world.builder.lines = &world.lines;
	world.builder.summary = &world.summary;
	budget_pool_open(&world.pool);
	world.budget.pool = &world.pool;
	world.lines.budget = world.builder.budget = &world.budget;
	function_builder_begin(&world.builder, &unit, &world.sink);
	return &world;
}

static void end(struct fake_target *world)
{
	function_builder_finish(&world->builder);
	budget_pool_close(&world->pool);
}

/*
 * One character for each step: a..z a range of what is opened next, from the table; F a function;
 * I an inlined call; E one that is entered at the table's n; S a scope; C a call that returns at the table's z; ) the end of an entry.
 */
static bool play(struct fake_target *world, const struct cairn_range *ranges, const char *steps)
{
	struct function_builder_function function = {
		.names = { { (const uint8_t *)"f", 1 }, { nothing, 0 }, { nothing, 0 }, 0 }
	};
	struct function_builder_inline call = { .name = { (const uint8_t *)"i", 1 } };
	struct function_builder_inline entered = { .name = call.name,
		                                   .has_entry = true,
		                                   .entry = ranges['n' - 'a'].low };
	struct function_builder *h = &world->builder;
	bool ok = true;

	for (; ok && *steps; steps++) {
		if (*steps >= 'a' && *steps <= 'z')
			ok = function_builder_range(h, ranges[*steps - 'a']);
		else if (*steps == 'F')
			ok = function_builder_open_function(h, &function);
		else if (*steps == 'I')
			ok = function_builder_open_inline(h, &call);
		else if (*steps == 'E')
			ok = function_builder_open_inline(h, &entered);
		else if (*steps == 'S')
			ok = function_builder_scope(h);
		else if (*steps == 'C')
			ok = function_builder_call(h, 0x1010, (struct cairn_bytes){ nothing, 0 });
		else
			ok = function_builder_close(h);
	}
	return ok;
}

static const struct cairn_range ranges[] = {
	{ 0x1000, 0x1100 },             /* a */
	{ 0x2000, 0x2040 },             /* b: a cold part */
	{ 0x1010, 0x1020 },             /* c: in a */
	{ 0x1018, 0x1030 },             /* d: in a, over the end of c */
	{ 0x10f0, 0x1200 },             /* e: over the end of a */
	{ 0x1000, 0x1000 },             /* f: empty */
	{ 0x2010, 0x2020 },             /* g: in b */
	{ 0, 0x100 },                   /* h: outside */
	{ UINT64_MAX, 5 },              /* i: dead */
	{ UINT64_MAX - 1, UINT64_MAX }, /* j: dead in a list */
	{ 0x1020, 0x1030 },             /* k: behind c */
	{ 0x8f00, 0xa000 },             /* l: over the end of the section */
	{ 0x1040, 0x1030 },             /* m: reversed */
	{ 0x1014, 0x1018 },             /* n: in c */
};

/* For debuggers: where a call is entered, in whichever part that is. */
static const struct {
	const char *steps, *given;
} entries[] = {
	{ "aFcI))", "1000+100 (1 1010-1020 at 1010) " },
	{ "aFcE))", "1000+100 (1 1010-1020 at 1014) " },
	{ "aFfE))", "1000+100 " },
	{ "aFkcI))", "1000+100 (1 1010-1030 at 1020) " }, /* the first one that was reported */
	{ "aFfIkI)))", "1000+100 (1 1020-1030 at 1020) (2 1020-1030 at 1020) " },
	{ "abFgcI))",
	  "1000+100 parted (1 1010-1020 at 2010) 2000+40 parted (1 2010-2020 at 2010) " },
	{ "abFgcE))",
	  "1000+100 parted (1 1010-1020 at 1014) 2000+40 parted (1 2010-2020 at 1014) " },
};

START_TEST(knows_where_calls_are_entered)
{
	struct fake_target *world = begin();

	world->lines.every_row = true;
	ck_assert(play(world, ranges, entries[_i].steps));
	ck_assert_str_eq(world->given.text, entries[_i].given);
	end(world);
}
END_TEST

static const struct {
	const char *name, *steps, *given;
	unsigned dropped[PROGRAM_DROPS];
} rows[] = {
	{ "one range", "aF)", "1000+100 ", { 0 } },
	{ "each range is a function", "abF)", "1000+100 2000+40 ", { 0 } },
	{ "inlined", "aFcI))", "1000+100 (1 1010-1020) ", { 0 } },
	{ "in both parts", "abFcgI))", "1000+100 (1 1010-1020) 2000+40 (1 2010-2020) ", { 0 } },
	{ "clipped to the function", "aFeI))", "1000+100 (1 10f0-1100) ", { 0 } },
	{ "the outer call lacks a part of the inner",
	  "aFcIdI)))",
	  "1000+100 (1 1010-1030) (2 1018-1030) ",
	  { 0 } },
	{ "the outer call has no range",
	  "aFfIcI)))",
	  "1000+100 (1 1010-1020) (2 1010-1020) ",
	  { 0 } },
	{ "neighbours become one range", "aFckI))", "1000+100 (1 1010-1030) ", { 0 } },
	{ "ranges in any order", "aFkcI))", "1000+100 (1 1010-1030) ", { 0 } },
	{ "siblings", "aFcI)kI))", "1000+100 (1 1010-1020) (1 1020-1030) ", { 0 } },
	{ "no range at all", "aFI))", "1000+100 ", { [PROGRAM_DROP_INLINE] = 1 } },
	{ "a function in a function",
	  "aFcIbFgI)))kI))",
	  "2000+40 (1 2010-2020) 1000+100 (1 1010-1020) (1 1020-1030) ",
	  { 0 } },
	{ "a function without code in a function", "aFFcI)))", "1000+100 ", { 0 } },
	{ "a call", "aFC)", "1000+100 call 10 ", { 0 } },
	{ "empty", "fF)", "", { [PROGRAM_DROP_EMPTY] = 1 } },
	{ "reversed", "mF)", "", { [PROGRAM_DROP_EMPTY] = 1 } },
	{ "dead", "ijF)", "", { [PROGRAM_DROP_TOMBSTONE] = 2 } },
	{ "dead among others",
	  "iahF)",
	  "1000+100 ",
	  { [PROGRAM_DROP_TOMBSTONE] = 1, [PROGRAM_DROP_OUTSIDE] = 1 } },
	{ "past the section", "lF)", "8f00+100 ", { 0 } },
};

START_TEST(puts_together)
{
	struct fake_target *world = begin();

	ck_assert(play(world, ranges, rows[_i].steps));
	ck_assert_msg(strcmp(world->given.text, rows[_i].given) == 0, "%s: %s", rows[_i].name,
	              world->given.text);
	for (unsigned i = 0; i < PROGRAM_DROPS; i++)
		ck_assert_msg(world->summary.dropped[i] == rows[_i].dropped[i], "%s",
		              rows[_i].name);
	end(world);
}
END_TEST

/* Line 7 begins at 1000, 1010, 1014, 1020 and 1028, line 8 at 1018; at 1024 line 7 goes on. */
static struct function_row told[] = {
	{ 0x1000, 1, 7, true, false, false, 0 }, { 0x1010, 1, 7, true, false, false, 0 },
	{ 0x1014, 1, 7, true, false, false, 0 }, { 0x1018, 1, 8, true, false, false, 0 },
	{ 0x1020, 1, 7, true, false, false, 0 }, { 0x1024, 1, 7, false, false, false, 0 },
	{ 0x1028, 1, 7, true, false, false, 0 },
};

static const struct {
	const char *name, *steps, *given;
} scopes[] = {
	{ "no scope", "aF)", "1000+100 " },
	{ "the line comes back in a scope", "aFcS)", "1000+100 apart 1010 " },
	{ "in two", "aFcSkS)", "1000+100 apart 1010 apart 1020 " },
	{ "in one of two ranges", "aFckS)", "1000+100 apart 1010 " },
	{ "in calls, which debuggers see", "aFcI)kI))",
	  "1000+100 (1 1010-1020 at 1010) (1 1020-1030 at 1020) " },
	{ "in a call and a scope of it", "aFcInS))", "1000+100 (1 1010-1020 at 1010) apart 1014 " },
	{ "all of it in one scope", "aFaS)", "1000+100 " },
	{ "a scope in a scope", "aFaScS)", "1000+100 apart 1010 " },
	{ "of another function", "aFbFgS))", "2000+40 1000+100 " },
	{ "of no range, reversed, outside", "aFSmSeS)", "1000+100 " },
};

/* Plays the steps over these rows; world->given has what came of them. */
static void play_rows(struct fake_target *world, struct function_row *row, size_t count,
                      const char *steps)
{
	struct lines_sequence all = { 0x1000, 0x1100, 0x1100, 0, 0, 0, count };

	world->lines = (struct lines){ .budget = &world->budget,
		                       .every_row = true,
		                       .row = row,
		                       .rows = count,
		                       .sequence = &all,
		                       .sequences = 1 };
	ck_assert(play(world, ranges, steps));
}

START_TEST(knows_scopes)
{
	struct fake_target *world = begin();

	play_rows(world, told, COUNT(told), scopes[_i].steps);
	ck_assert_msg(strcmp(world->given.text, scopes[_i].given) == 0, "%s: %s", scopes[_i].name,
	              world->given.text);
	free(world->lines.cut);
	end(world);
}
END_TEST

/*
 * Line 7 has no code at 1000 and 1010 where a statement of file 2 follows at once: debuggers drop such
 * rows, so that the line begins where it has code.
 */
static struct function_row left[] = {
	{ 0x1000, 1, 6, true, false, false, 0 },  { 0x1000, 1, 7, true, false, false, 0 },
	{ 0x1000, 2, 3, true, false, false, 0 },  { 0x1010, 1, 7, true, false, false, 0 },
	{ 0x1010, 1, 8, true, false, false, 0 },  { 0x1014, 1, 7, true, false, false, 0 },
	{ 0x1014, 2, 4, true, false, false, 0 },  { 0x1018, 1, 7, true, false, false, 0 },
	{ 0x1018, 2, 3, false, false, false, 0 }, { 0x1020, 1, 7, true, false, false, 0 },
};

static const struct {
	const char *name, *steps, *given;
} left_rows[] = {
	{ "the first one does not count", "aFcS)", "1000+100 apart 1020 " },
	{ "none begins the scope", "aFnS)", "1000+100 " },
	{ "a scope of the last", "aFkS)", "1000+100 apart 1020 " },
};

START_TEST(passes_over_rows_without_code)
{
	struct fake_target *world = begin();

	play_rows(world, left, COUNT(left), left_rows[_i].steps);
	ck_assert_msg(strcmp(world->given.text, left_rows[_i].given) == 0, "%s: %s",
	              left_rows[_i].name, world->given.text);
	free(world->lines.cut);
	end(world);
}
END_TEST

START_TEST(ends_when_the_sink_says_so)
{
	struct fake_target *world = begin();

	world->given.refuse = 2;
	ck_assert(!play(world, ranges, "abF)"));
	ck_assert_int_eq(world->builder.status, CAIRN_UNREADABLE);
	end(world);
}
END_TEST

/* Ranges that are shared by many entries cost each of them. */
START_TEST(gives_up_in_time)
{
	struct fake_target *world = begin();
	bool ok = true;

	for (unsigned i = 0; ok && i < 4096; i++) {
		for (unsigned k = 0; ok && k < 4096; k++)
			ok = play(world, ranges, "c");
		ok = ok && play(world, ranges, i == 0 ? "F" : "I");
	}
	ck_assert(!ok && world->budget.exhausted);
	ck_assert_int_eq(world->budget.spent, BUDGET_MEMORY);
	ck_assert_uint_le(world->builder.range_capacity * sizeof(*world->builder.range),
	                  BUDGET_MEMORY_BASE);
	end(world);
}
END_TEST

/* One call's ranges around many others: each of these is held against all of them. */
START_TEST(counts_what_is_compared)
{
	enum { RANGES = 10000, CALLS = 10000 };
	struct fake_target *world = begin();
	bool ok = play(world, ranges, "aF");

	for (uint64_t i = 0; ok && i < RANGES; i++)
		ok = function_builder_range(&world->builder,
		                            (struct cairn_range){ 4 * i, 4 * i + 2 });
	ok = ok && play(world, ranges, "I");
	for (unsigned i = 0; ok && i < CALLS; i++)
		ok = play(world, ranges, "cI)");
	ck_assert(ok);
	ck_assert(!play(world, ranges, "))") && world->budget.exhausted);
	ck_assert_int_eq(world->budget.spent, BUDGET_WORK);
	end(world);
}
END_TEST

START_TEST(bounds_nesting)
{
	struct fake_target *world = begin();
	unsigned depth = 0;

	ck_assert(play(world, ranges, "aF"));
	while (play(world, ranges, "cI"))
		depth++;
	ck_assert(world->builder.too_deep && !world->budget.exhausted);
	ck_assert_uint_eq(depth, FUNCTION_BUILDER_DEPTH_MAX - 1);
	end(world);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("builder");
	TCase *tests = tcase_create("builder");

	tcase_add_loop_test(tests, knows_where_calls_are_entered, 0, COUNT(entries));
	tcase_add_loop_test(tests, knows_scopes, 0, COUNT(scopes));
	tcase_add_loop_test(tests, passes_over_rows_without_code, 0, COUNT(left_rows));
	tcase_add_loop_test(tests, puts_together, 0, COUNT(rows));
	tcase_add_test(tests, ends_when_the_sink_says_so);
	tcase_add_test(tests, gives_up_in_time);
	tcase_add_test(tests, counts_what_is_compared);
	tcase_add_test(tests, bounds_nesting);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
