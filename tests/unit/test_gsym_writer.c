/* SPDX-License-Identifier: MIT */
/* GSYM files of functions: the worked example byte by byte, order, merging, versions, threads. */
#include "unit.h"

#include "formats/gsym/gsym.h"
#include "symbols/gsym.h"
#include "symbols/symbols.h"
#include "writers/gsym/shard.h"
#include "writers/gsym/writer.h"

#include <stdio.h>

#define TEXT(text)                                        \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static const struct function_file files[] = {
	{ TEXT(""), TEXT("") },
	{ TEXT("src"), TEXT("a.c") },
	{ TEXT("src"), TEXT("b.h") },
};
static const struct function_row rows[] = {
	ROW(0x1000, 1, 10), ROW(0x1004, 1, 11), ROW(0x1008, 2, 9),
	ROW(0x1010, 1, 12), ROW(0x101c, 1, 14),
};
static const struct cairn_range ranges[] = { { 0x1008, 0x1010 } };
static const struct function_inline inlines[] = { { 1, 0, 1, 1, 11, 0, TEXT("clamp"), 0, 0 } };

static const struct function run_function = {
	.start = 0x1000,
	.size = 0x20,
	.name = TEXT("run"),
	.files = files,
	.file_count = 3,
	.rows = rows,
	.row_count = 5,
	.range = ranges,
	.inlines = inlines,
	.inline_count = 1,
};
static const struct function stub = {
	.start = 0x1030, .size = 8, .name = TEXT("exit_stub"), .source = FUNCTION_SYMBOL
};

static void give(struct gsym_writer *writer, const struct function *const *list, size_t count)
{
	struct function_sink sink = gsym_shard_sink(gsym_writer_shard(writer));

	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(sink.take(sink.context, list[i]), CAIRN_OK);
}

static struct gsym_output make(const struct gsym_writer_options *options,
                               const struct function *const *list, size_t count)
{
	struct gsym_writer *writer = gsym_writer_new(options);
	struct gsym_output output;

	give(writer, list, count);
	ck_assert_int_eq(gsym_writer_order(writer), CAIRN_OK);
	ck_assert_int_eq(gsym_writer_image(writer, 0, UINT64_MAX, &output), CAIRN_OK);
	gsym_writer_free(writer);
	return output;
}

static void open_output(const struct gsym_output *output, struct gsym *gsym)
{
	struct cairn_fault fault;

	ck_assert_int_eq(
		gsym_open((struct cairn_bytes){ output->data, output->size }, gsym, &fault),
		CAIRN_OK);
}

/* Places at an address, as "function file:line" joined by " < ". */
static const char *ask(const struct gsym *gsym, uint64_t va)
{
	static struct gsym_lookup lookup;
	static char text[256];
	struct cairn_location l;
	size_t size = 0;

	text[0] = '\0';
	if (gsym_find(gsym, va, &lookup) != CAIRN_OK)
		return "nothing";
	while (gsym_next_location(&lookup, &l))
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%.*s %.*s:%u",
		                         size ? " < " : "", (int)l.function.size,
		                         (const char *)l.function.data, (int)l.file.size,
		                         (const char *)l.file.data, l.line);
	return text;
}

/* Every version and byte order gives the same answers. */
START_TEST(writes_the_example)
{
	const struct function *list[] = { &stub, &run_function };
	struct gsym_writer_options options = { .version = 1 + (_i & 1),
		                               .big = _i & 2,
		                               .base = 0x1000,
		                               .uuid = TEXT("\xc0\xff\xee\x01") };
	struct gsym_output output = make(&options, list, 2);
	struct gsym gsym;

	open_output(&output, &gsym);
	ck_assert_uint_eq(gsym.version, options.version);
	ck_assert_uint_eq(gsym.functions, 2);
	ck_assert_uint_eq(gsym.address_size, 1);
	ck_assert_uint_eq(output.size, options.version == 1 ? 208 : 372);
	ck_assert_str_eq(ask(&gsym, 0x1000), "run a.c:10");
	ck_assert_str_eq(ask(&gsym, 0x100a), "clamp b.h:9 < run a.c:11");
	ck_assert_str_eq(ask(&gsym, 0x101f), "run a.c:14");
	ck_assert_str_eq(ask(&gsym, 0x1028), "nothing");
	ck_assert_str_eq(ask(&gsym, 0x1037), "exit_stub :0");
	free(output.data);
}
END_TEST

START_TEST(does_not_depend_on_who_brings_what)
{
	const struct function *list[] = { &stub, &run_function };
	struct gsym_writer_options options = { .version = 1 };
	struct gsym_output one = make(&options, list, 2), two;
	struct gsym_writer *writer = gsym_writer_new(&options);

	give(writer, &list[1], 1);
	give(writer, &list[0], 1);
	ck_assert_int_eq(gsym_writer_order(writer), CAIRN_OK);
	ck_assert_int_eq(gsym_writer_image(writer, 0, UINT64_MAX, &two), CAIRN_OK);
	ck_assert_uint_eq(one.size, two.size);
	ck_assert_mem_eq(one.data, two.data, one.size);
	gsym_writer_free(writer);
	free(one.data);
	free(two.data);
}
END_TEST

static const struct function same[] = {
	{ .start = 0x10, .size = 8, .name = TEXT("__low"), .source = FUNCTION_SYMBOL },
	{ .start = 0x10, .size = 8, .name = TEXT("_longer") },
	{ .start = 0x10, .size = 8, .name = TEXT("b") },
	{ .start = 0x10, .size = 8, .name = TEXT("b") },
	{ .start = 0x10, .size = 8, .name = TEXT("a") },
};

START_TEST(chooses_among_equal_ranges)
{
	const struct function *list[] = { &same[0], &same[1], &same[2], &same[3], &same[4] };
	struct gsym_writer_options options = { .version = 1, .merged = _i };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct cairn_gsym_summary summary;
	struct gsym_output output;
	struct gsym gsym;

	give(writer, list, 5);
	ck_assert_int_eq(gsym_writer_order(writer), CAIRN_OK);
	gsym_writer_summary(writer, &summary);
	ck_assert_uint_eq(summary.functions, 1);
	ck_assert_uint_eq(summary.repeated, 1);
	ck_assert_uint_eq(summary.merged, _i ? 3 : 0);
	ck_assert_uint_eq(summary.folded, _i ? 0 : 3);
	ck_assert_int_eq(gsym_writer_image(writer, 0, UINT64_MAX, &output), CAIRN_OK);
	gsym_writer_free(writer);
	open_output(&output, &gsym);
	ck_assert_str_eq(ask(&gsym, 0x12), "a :0");
	free(output.data);
}
END_TEST

START_TEST(becomes_version_2)
{
	const struct function *list[] = { &stub };
	struct gsym_writer_options options = { .version = 1,
		                               .uuid = TEXT("123456789012345678901") };
	struct gsym_output output = make(&options, list, 1);

	ck_assert_uint_eq(output.version, 2);
	ck_assert_str_eq(output.why, "the build ID is longer than 20 bytes");
	free(output.data);
}
END_TEST

/*
 * What a line table tells of statements comes back as it was, and costs lookups nothing: of 0x1004
 * they see the last row.
 */
static const struct function_row told[] = {
	{ 0x1000, 1, 10, true, false, false, 0 },
	{ 0x1004, 1, 11, true, true, false, 0 },
	{ 0x1004, 2, 9, true, false, false, 0 },
	{ 0x1004, 1, 11, false, false, false, 0 },
	{ 0x1008, 1, 11, true, false, true, 0 },
	{ 0x100c, 1, 12, false, true, false, 0 },
	{ 0x1010, 1, 13, false, false, false, 0 },
	/* line 15 is hidden by the statement before it, and seen from the address after it on */
	{ 0x1014, 1, 14, true, false, false, 0 },
	{ 0x1014, 1, 15, false, false, false, 0 },
	{ 0x1018, 1, 15, false, false, false, 0 },
	/* debuggers look at each address with a row when they step, and a statement hides the row behind it from them */
	{ 0x1019, 1, 15, false, false, false, 0 },
	{ 0x101a, 1, 16, true, false, false, 0 },
	{ 0x101b, 1, 16, true, false, false, 0 },
	{ 0x101b, 2, 9, false, false, false, 0 },
};

static struct {
	struct function_row row[16];
	size_t count;
	bool statements;
} back;

static enum cairn_status take_back(void *context, const struct function *f)
{
	(void)context;
	ck_assert_uint_le(f->row_count, COUNT(back.row));
	memcpy(back.row, f->rows, f->row_count * sizeof(*f->rows));
	back.count = f->row_count;
	back.statements = f->statements;
	return CAIRN_OK;
}

START_TEST(keeps_statements)
{
	struct function f = run_function;
	const struct function *list[] = { &f };
	const struct function_sink sink = { take_back, NULL };
	struct gsym_writer_options options = { .version = 1 };
	struct gsym gsym;

	f.rows = told;
	f.row_count = COUNT(told);
	f.statements = true;
	struct gsym_output output = make(&options, list, 1);
	open_output(&output, &gsym);
	ck_assert_str_eq(ask(&gsym, 0x1003), "run a.c:10");
	ck_assert_str_eq(ask(&gsym, 0x1004), "run a.c:11");
	ck_assert_int_eq(gsym_functions(&gsym, &sink, true, NULL), CAIRN_OK);
	ck_assert(back.statements);
	ck_assert_uint_eq(back.count, COUNT(told));
	for (size_t i = 0; i < COUNT(told); i++) {
		const struct function_row *row = &back.row[i];
		ck_assert(row->va == told[i].va && row->line == told[i].line);
		ck_assert(row->statement == told[i].statement &&
		          row->prologue_end == told[i].prologue_end && row->apart == told[i].apart);
	}
	/* whoever wants one row for an address gets no half of the story */
	ck_assert_int_eq(gsym_functions(&gsym, &sink, false, NULL), CAIRN_OK);
	ck_assert(!back.statements);
	ck_assert_uint_eq(back.count, COUNT(told) - 4);
	free(output.data);
}
END_TEST

/* A path behind a name is there for those who ask for statements, and for nobody else. */
static char paths_back[256];

static void add_path(struct cairn_bytes name, uint32_t size)
{
	const struct cairn_bytes path = function_path(name, size);
	const size_t used = strlen(paths_back);

	snprintf(paths_back + used, sizeof(paths_back) - used, "%.*s=%.*s ", (int)name.size,
	         (const char *)name.data, (int)size, size ? (const char *)path.data : "");
}

static enum cairn_status take_paths_back(void *context, const struct function *f)
{
	(void)context;
	add_path(f->name, f->path_size);
	for (size_t i = 0; i < f->inline_count; i++)
		add_path(f->inlines[i].name, f->inlines[i].path_size);
	return CAIRN_OK;
}

START_TEST(keeps_paths)
{
	static const char speak[] = "_RNspeak\0\1k::{impl#1}::speak",
			  purr[] = "_RNpurr\0\1k::Cat<u8>::purr";
	static const struct cairn_range range[] = { { 0x1004, 0x1008 },
		                                    { 0x1008, 0x100c },
		                                    { 0x100c, 0x1010 } };
	/* the same name with and without, and one that is like a path */
	const struct function_inline calls[] = {
		{ .depth = 1, .ranges = 1, .name = { (const uint8_t *)purr, 7 }, .path_size = 16 },
		{ .depth = 1, .range = 1, .ranges = 1, .name = { (const uint8_t *)purr, 7 } },
		{ .depth = 1, .range = 2, .ranges = 1, .name = TEXT("\1k::purr") }
	};
	/* a symbol of the same name is the same function */
	static const struct function symbol = {
		.start = 0x1000, .size = 0x20, .name = TEXT("_RNspeak"), .source = FUNCTION_SYMBOL
	};
	struct function f = run_function;
	const struct function *list[] = { &f, &symbol };
	const struct function_sink sink = { take_paths_back, NULL };
	struct gsym_writer_options options = { .version = 1 + (_i & 1),
		                               .big = _i & 2,
		                               .merged = true };
	struct gsym gsym;

	f.name = (struct cairn_bytes){ (const uint8_t *)speak, 8 };
	f.path_size = 18;
	f.range = range;
	f.inlines = calls;
	f.inline_count = COUNT(calls);
	struct gsym_output output = make(&options, list, COUNT(list));
	open_output(&output, &gsym);
	ck_assert_str_eq(ask(&gsym, 0x1000), "_RNspeak a.c:10");
	paths_back[0] = '\0';
	ck_assert_int_eq(gsym_functions(&gsym, &sink, true, NULL), CAIRN_OK);
	ck_assert_str_eq(
		paths_back,
		"_RNspeak=k::{impl#1}::speak _RNpurr=k::Cat<u8>::purr _RNpurr= \1k::purr= ");
	paths_back[0] = '\0';
	ck_assert_int_eq(gsym_functions(&gsym, &sink, false, NULL), CAIRN_OK);
	ck_assert_str_eq(paths_back, "_RNspeak= _RNpurr= _RNpurr= \1k::purr= ");
	free(output.data);
}
END_TEST

/* Two calls, the inner one first in its function's other part, and what is read back of them. */
/* From one row to the next as far as lines go: windows and costs of such steps stay within their types. */
static const uint32_t far_steps[] = { INT32_MAX,       INT32_MAX - 1U, 1U << 31,
	                              (1U << 31) + 14, UINT32_MAX - 3, 0x7ffffff8 };

START_TEST(keeps_far_lines)
{
	struct function_row far[12];
	struct function f = run_function;
	const struct function *list[] = { &f };
	const struct function_sink sink = { take_back, NULL };
	struct gsym_writer_options options = { .version = 1 };
	struct gsym gsym;

	for (uint32_t i = 0; i < COUNT(far); i++)
		far[i] = (struct function_row){ 0x1000 + i, 1,     7 + i * far_steps[_i] + i / 4,
			                        true,       false, false,
			                        0 };
	f.rows = far;
	f.row_count = COUNT(far);
	struct gsym_output output = make(&options, list, 1);
	open_output(&output, &gsym);
	ck_assert_int_eq(gsym_functions(&gsym, &sink, false, NULL), CAIRN_OK);
	ck_assert_uint_eq(back.count, COUNT(far));
	for (size_t i = 0; i < COUNT(far); i++)
		ck_assert_uint_eq(back.row[i].line, far[i].line);
	free(output.data);
}
END_TEST

static const struct cairn_range entered_ranges[] = { { 0x1008, 0x1010 },
	                                             { 0x1014, 0x1018 },
	                                             { 0x100c, 0x1010 } };
static const struct function_inline entered[] = { { 1, 0, 2, 1, 11, 0, TEXT("clamp"), 0x1014, 0 },
	                                          { 2, 2, 1, 2, 9, 0, TEXT("least"), 0x800, 0 } };
static struct {
	bool parted;
	uint64_t entry[COUNT(entered)];
} calls_back;

static enum cairn_status take_calls_back(void *context, const struct function *f)
{
	(void)context;
	ck_assert_uint_eq(f->inline_count, COUNT(entered));
	ck_assert(f->inlines[0].ranges == 2 && f->inlines[1].ranges == 1);
	calls_back.parted = f->parted;
	for (size_t i = 0; i < f->inline_count; i++)
		calls_back.entry[i] = f->inlines[i].entry;
	return CAIRN_OK;
}

/* Marks of where calls are entered change no lookup, and without statements there are none. */
START_TEST(keeps_entries_of_calls)
{
	struct function f = run_function, plain;
	const struct function *list[] = { &f }, *without[] = { &plain };
	const struct function_sink sink = { take_calls_back, NULL };
	struct gsym_writer_options options = { .version = 1 + (_i & 1), .big = _i & 2 };
	struct gsym gsym, other;

	f.range = entered_ranges;
	f.inlines = entered;
	f.inline_count = COUNT(entered);
	f.parted = f.statements = true;
	plain = f;
	plain.parted = plain.statements = false;
	struct gsym_output output = make(&options, list, 1), bare = make(&options, without, 1);
	open_output(&output, &gsym);
	open_output(&bare, &other);
	ck_assert_uint_gt(output.size, bare.size);
	for (uint64_t va = 0x1000; va < 0x1020; va++) {
		char text[256];
		snprintf(text, sizeof(text), "%s", ask(&other, va));
		ck_assert_str_eq(ask(&gsym, va), text);
	}
	ck_assert_int_eq(gsym_functions(&gsym, &sink, true, NULL), CAIRN_OK);
	ck_assert(calls_back.parted && calls_back.entry[0] == 0x1014 &&
	          calls_back.entry[1] == 0x800);
	ck_assert_int_eq(gsym_functions(&other, &sink, true, NULL), CAIRN_OK);
	ck_assert(!calls_back.parted && calls_back.entry[0] == 0 && calls_back.entry[1] == 0);
	free(output.data);
	free(bare.data);
}
END_TEST

/* Rows of which each begins a statement at an address of its own are the same with marks and without. */
START_TEST(marks_only_what_tells)
{
	struct function_row row[COUNT(rows)];
	struct function f = run_function;
	const struct function *plain[] = { &run_function }, *list[] = { &f };
	struct gsym_writer_options options = { .version = 1 };
	struct gsym_output one = make(&options, plain, 1), two;

	memcpy(row, rows, sizeof(rows));
	for (size_t i = 0; i < COUNT(row); i++)
		row[i].statement = true;
	f.rows = row;
	f.statements = true;
	two = make(&options, list, 1);
	ck_assert_uint_eq(one.size, two.size);
	ck_assert_mem_eq(one.data, two.data, one.size);
	free(one.data);
	free(two.data);
}
END_TEST

/* A gap is a row with an empty file entry that is not entry 0. */
START_TEST(writes_gaps)
{
	static const struct function_row with_gap[] = { ROW(0x20, 1, 3), ROW(0x24, 0, 0) };
	const struct function f = { .start = 0x20,
		                    .size = 8,
		                    .files = files,
		                    .file_count = 3,
		                    .rows = with_gap,
		                    .row_count = 2 };
	const struct function *list[] = { &f };
	struct gsym_writer_options options = { .version = 1 };
	struct gsym_output output = make(&options, list, 1);
	struct gsym_file file;
	struct gsym gsym;

	open_output(&output, &gsym);
	ck_assert_str_eq(ask(&gsym, 0x23), "?? a.c:3");
	ck_assert_str_eq(ask(&gsym, 0x24), "?? :0");
	ck_assert(gsym_file(&gsym, 2, &file) && file.empty);
	free(output.data);
}
END_TEST

/* How many bytes LLVM's writer has for these rows: any window of 15 steps may be the one it takes. */
enum { STEPS = 600, WIDEST = 15 };

static unsigned signed_bytes(int64_t value)
{
	unsigned size = 1;

	for (; value < -0x40 || value > 0x3f; value >>= 7)
		size++;
	return size;
}

static unsigned unsigned_bytes(uint64_t value)
{
	unsigned size = 1;

	for (; value > 0x7f; value >>= 7)
		size++;
	return size;
}

static size_t size_with(const struct function_row *row, size_t count, int64_t low, int64_t high)
{
	size_t size = signed_bytes(low) + signed_bytes(high) + unsigned_bytes(row[0].line) + 1;

	size += low <= 0 && high >= 0 ? 1 : 2; /* the first row */
	for (size_t i = 1; i < count; i++) {
		int64_t line = (int64_t)row[i].line - row[i - 1].line;
		uint64_t advance = row[i].va - row[i - 1].va;
		bool special = line >= low && line <= high && advance < 256 &&
		               line - low + (high - low + 1) * (int64_t)advance + 4 <= 255;
		size += special ? 1 : 1 + unsigned_bytes(advance);
		size += special || line == 0 ? 0 : 1 + signed_bytes(line);
	}
	return size;
}

/* The window with most of the steps, of equal ones the lowest, up to its highest step. */
static size_t size_of_llvm(const struct function_row *row, size_t count)
{
	int64_t best = 0, end = 0;
	size_t most = 0;

	for (size_t i = 1; i < count; i++) {
		int64_t low = (int64_t)row[i].line - row[i - 1].line, high = low;
		size_t inside = 0;
		for (size_t k = 1; k < count; k++) {
			int64_t step = (int64_t)row[k].line - row[k - 1].line;
			bool in = step >= low && step < low + WIDEST;
			inside += in;
			high = in && step > high ? step : high;
		}
		if (inside > most || (inside == most && low < best)) {
			most = inside;
			best = low;
			end = high;
		}
	}
	if (best == end && best > 0 && best < WIDEST - 1)
		best = 0;
	return size_with(row, count, best, end);
}

static size_t size_of_ours(const struct function_row *row, size_t count)
{
	static uint8_t bytes[1 << 16];
	struct gsym_line_steps steps = { .step = NULL };
	struct gsym_draft draft = gsym_draft(bytes, sizeof(bytes), false);
	const uint32_t file = 1;
	const struct gsym_numbers numbers = { .files = &file };
	struct gsym_window window;
	struct sink out = sink_open(NULL, 0);

	ck_assert(gsym_line_steps_window(&steps, row, count, &window));
	gsym_draft_lines(&draft, row[0].va, row, count, false, &window);
	gsym_draft_end(&draft);
	ck_assert_uint_le(draft.out.size, sizeof(bytes));
	gsym_resolve_draft((struct cairn_bytes){ bytes, draft.out.size }, &numbers, &out);
	gsym_line_steps_finish(&steps);
	return out.size;
}

/* Steps of a table: `spread` lines around each of two centres, every `often`th near the second. */
static const struct {
	int32_t first, second, spread;
	uint32_t often, advance;
	size_t count;
} tables[] = {
	{ 0, 0, 6, 1, 8, 30 },           { 40, 40, 7, 1, 4, STEPS },
	{ -70, 90, 3, 5, 3, STEPS },     { 3, 2000, 2, 2, 90, 200 },
	{ 100000, 100000, 0, 1, 1, 50 }, { 100000, 5, 1, 3, 40, 300 },
	{ 20, -20, 12, 2, 12, STEPS },   { 7, 7, 0, 1, 200, 20 },
	{ 0, 300, 200, 3, 5, STEPS },    { 500, -500, 1, 2, 2, 41 },
};

START_TEST(is_not_longer_than_llvm)
{
	static struct function_row row[STEPS];
	uint64_t state = 88172645463325252;

	for (unsigned turn = 0; turn < 20; turn++) {
		row[0] = (struct function_row){ .va = 0x1000, .line = 100000000 };
		for (size_t i = 1; i < tables[_i].count; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			int32_t centre =
				state % tables[_i].often ? tables[_i].first : tables[_i].second;
			int32_t off =
				(int32_t)((state >> 16) % (2 * (uint32_t)tables[_i].spread + 1));
			row[i].va = row[i - 1].va + 1 + (state >> 40) % tables[_i].advance;
			row[i].line =
				row[i - 1].line + (uint32_t)(centre + off - tables[_i].spread);
		}
		ck_assert_uint_le(size_of_ours(row, tables[_i].count),
		                  size_of_llvm(row, tables[_i].count));
	}
}
END_TEST

START_TEST(makes_pieces)
{
	const struct function *list[] = { &stub, &run_function };
	struct gsym_writer_options options = { .version = 1 };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct gsym_output output;

	give(writer, list, 2);
	ck_assert_int_eq(gsym_writer_order(writer), CAIRN_OK);
	for (uint32_t first = 0; first < 2; first++) {
		ck_assert_int_eq(gsym_writer_image(writer, first, 1, &output), CAIRN_OK);
		ck_assert_uint_eq(output.count, 1);
		free(output.data);
	}
	gsym_writer_free(writer);
}
END_TEST

/* Many functions with long names, as a file of several pieces: these are put from the last to the first. */
START_TEST(is_put_in_any_order)
{
	enum { MANY = 4000, NAME = 200, FEW = 3 };
	static char names[MANY][NAME + 1];
	struct gsym_writer_options options = { .version = 1 + (_i & 1), .big = _i & 2 };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct function_sink sink = gsym_shard_sink(gsym_writer_shard(writer));
	struct gsym_output output;

	for (size_t i = 0; i < MANY; i++) {
		struct function f = run_function;
		f.start = 0x1000 + i * run_function.size;
		f.rows = NULL;
		f.row_count = f.inline_count = 0;
		f.name = (struct cairn_bytes){ (const uint8_t *)names[i],
			                       (size_t)snprintf(names[i], NAME + 1, "%0*zu",
			                                        (int)(NAME - i % FEW), i) };
		ck_assert_int_eq(sink.take(sink.context, &f), CAIRN_OK);
	}
	ck_assert_int_eq(gsym_writer_order(writer), CAIRN_OK);
	ck_assert_int_eq(gsym_writer_image(writer, 0, UINT64_MAX, &output), CAIRN_OK);
	struct gsym_outline *outline = gsym_writer_outline(writer, 0, UINT64_MAX);
	const size_t pieces = gsym_outline_pieces(outline);
	uint8_t *bytes = malloc(output.size);
	ck_assert_uint_gt(pieces, FEW);
	ck_assert_uint_eq(gsym_outline_facts(outline).size, output.size);
	uint64_t end = output.size;
	for (size_t i = pieces; i-- > 0;) {
		const struct gsym_piece piece = gsym_outline_piece(outline, i);
		ck_assert_uint_eq(piece.at + piece.size, end);
		gsym_outline_put(outline, i, bytes + piece.at);
		end = piece.at;
	}
	ck_assert_uint_eq(end, 0);
	ck_assert(memcmp(bytes, output.data, output.size) == 0);
	free(bytes);
	free(output.data);
	gsym_outline_free(outline);
	gsym_writer_free(writer);
}
END_TEST

static const struct function_row column_rows[] = {
	{ .va = 0x1000, .file = 1, .line = 10, .column = 3 },
	{ .va = 0x1004, .file = 1, .line = 11, .column = 7 },
	{ .va = 0x1004, .file = 1, .line = 11, .column = 300 }, /* the last of an address counts */
	{ .va = 0x1008, .file = 2, .line = 9, .column = 300 },
	{ .va = 0x1010, .file = 1, .line = 12 },
};
static const struct cairn_range column_ranges[] = { { 0x1004, 0x1010 },
	                                            { 0x1008, 0x100c },
	                                            { 0x1010, 0x1014 } };
static const struct function_inline column_inlines[] = {
	{ 1, 0, 1, 1, 11, 21, TEXT("clamp"), 0, 0 },
	{ 2, 1, 1, 2, 8, 22, TEXT("low"), 0, 0 },
	{ 1, 2, 1, 1, 12, 0, TEXT("high"), 0, 0 },
};

/* Columns of all places at an address, joined by " < ". */
static const char *ask_columns(const struct gsym *gsym, uint64_t va)
{
	static struct gsym_lookup lookup;
	static char text[256];
	struct cairn_location l;
	size_t size = 0;

	text[0] = '\0';
	if (gsym_find(gsym, va, &lookup) != CAIRN_OK)
		return "nothing";
	while (gsym_next_location(&lookup, &l))
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%u",
		                         size ? " < " : "", l.column);
	return text;
}

/* All that is at an address, as a lookup gives it. */
static const char *print_places(struct cairn_lookup_result *answer)
{
	static char text[512];
	struct cairn_location l;
	size_t size = 0;

	text[0] = '\0';
	while (cairn_lookup_result_next(answer, &l))
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%.*s %.*s:%u:%u, ",
		                         (int)l.function.size, (const char *)l.function.data,
		                         (int)l.file.size, (const char *)l.file.data,
		                         (unsigned)l.line, (unsigned)l.column);
	return text;
}

/* A function that is kept decoded answers as one that is read each time. */
static void check_kept_columns(const struct gsym_output *output)
{
	enum { UNTIL_KEPT = 6 };
	const struct cairn_bytes bytes = { output->data, output->size };
	struct cairn_symbols *symbols;
	struct cairn_fault fault;
	struct cairn_lookup_result answer;

	ck_assert_int_eq(cairn_symbols_open_bytes(bytes, NULL, &symbols, &fault), CAIRN_OK);
	for (uint64_t va = 0x0ff0; va < 0x1040; va++) {
		char want[512];
		const enum cairn_status status = cairn_symbols_find_uncached(symbols, va, &answer);
		snprintf(want, sizeof(want), "%s", print_places(&answer));
		for (int turn = 0; turn < UNTIL_KEPT; turn++) {
			ck_assert_int_eq(cairn_symbols_find(symbols, va, &answer), status);
			ck_assert_str_eq(print_places(&answer), want);
		}
	}
	ck_assert_uint_eq(symbols->cache.count, 2);
	cairn_symbols_free(symbols);
}

/* With columns all else is as it is without, and readers that do not know the block pass over it. */
START_TEST(keeps_columns)
{
	struct function function = run_function;
	const struct function *list[] = { &function, &stub };
	struct gsym_writer_options options = { .version = 1 + (_i & 1), .big = _i & 2 };
	struct gsym gsym, plain;

	function.rows = column_rows;
	function.row_count = COUNT(column_rows);
	function.range = column_ranges;
	function.inlines = column_inlines;
	function.inline_count = COUNT(column_inlines);
	struct gsym_output without = make(&options, list, 2);
	options.columns = true;
	struct gsym_output output = make(&options, list, 2);
	open_output(&without, &plain);
	open_output(&output, &gsym);
	ck_assert_uint_gt(output.size, without.size);
	ck_assert_str_eq(ask_columns(&gsym, 0x1000), "3");
	ck_assert_str_eq(ask_columns(&gsym, 0x1004), "300 < 21");
	ck_assert_str_eq(ask_columns(&gsym, 0x1008), "300 < 22 < 21");
	ck_assert_str_eq(ask_columns(&gsym, 0x100f), "300 < 21");
	ck_assert_str_eq(ask_columns(&gsym, 0x1010), "0 < 0");
	ck_assert_str_eq(ask_columns(&gsym, 0x1030), "0");
	ck_assert_str_eq(ask_columns(&plain, 0x1008), "0 < 0 < 0");
	for (uint64_t va = 0x1000; va < 0x1020; va++) {
		char want[256];
		snprintf(want, sizeof(want), "%s", ask(&plain, va));
		ck_assert_str_eq(ask(&gsym, va), want);
	}
	check_kept_columns(&output);
	free(without.data);
	free(output.data);
}
END_TEST

/* A block of columns that is cut off, or tells nothing, has columns that are not known, and the places stay. */
START_TEST(reads_damaged_columns)
{
	static const uint8_t bytes[] = { 2, 0, 5, 4, 0x80 },
			     wide[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		                        0xff, 0xff, 0xff, 1,    0,    5 };
	const struct gsym_block cut = { .type = GSYM_COLUMNS, .data = { bytes, sizeof(bytes) } };
	const struct gsym_block many = { .type = GSYM_COLUMNS, .data = { wide, sizeof(wide) } };
	const struct gsym_block empty = { .type = GSYM_COLUMNS, .data = { bytes, 0 } };

	ck_assert_uint_eq(gsym_row_column(&cut, 3), 5);
	ck_assert_uint_eq(gsym_row_column(&cut, 4), 0);
	ck_assert_uint_eq(gsym_call_column(&cut, 0), 0);
	ck_assert_uint_eq(gsym_row_column(&many, 1), 0);
	ck_assert_uint_eq(gsym_call_column(&many, UINT32_MAX), 0);
	ck_assert_uint_eq(gsym_row_column(&empty, 0), 0);
	ck_assert_uint_eq(gsym_call_column(&empty, 7), 0);
}
END_TEST

START_TEST(needs_a_function)
{
	struct gsym_writer_options options = { .version = 1 };
	struct gsym_writer *writer = gsym_writer_new(&options);

	ck_assert_int_eq(gsym_writer_order(writer), CAIRN_NOT_FOUND);
	gsym_writer_free(writer);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gsym_writer");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, writes_the_example, 0, 4);
	tcase_add_test(all, does_not_depend_on_who_brings_what);
	tcase_add_loop_test(all, chooses_among_equal_ranges, 0, 2);
	tcase_add_test(all, becomes_version_2);
	tcase_add_test(all, keeps_statements);
	tcase_add_loop_test(all, keeps_far_lines, 0, COUNT(far_steps));
	tcase_add_loop_test(all, keeps_entries_of_calls, 0, 4);
	tcase_add_loop_test(all, keeps_paths, 0, 4);
	tcase_add_test(all, marks_only_what_tells);
	tcase_add_test(all, writes_gaps);
	tcase_add_test(all, makes_pieces);
	tcase_add_loop_test(all, is_put_in_any_order, 0, 4);
	tcase_add_loop_test(all, is_not_longer_than_llvm, 0, COUNT(tables));
	tcase_add_loop_test(all, keeps_columns, 0, 4);
	tcase_add_test(all, reads_damaged_columns);
	tcase_add_test(all, needs_a_function);
	suite_add_tcase(suite, all);
	return unit_run(suite);
}
