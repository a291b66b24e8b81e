/* SPDX-License-Identifier: MIT */
/*
 * Symbfiles of functions made by hand: the records, whose code is whose, return pads; and that they
 * answer each address as the functions do, by the index and by reading everything.
 */
#include "unit.h"

#include "scan_answer.h"
#include "symbols/index.h"
#include "symbols/index_build.h"
#include "writers/symbfile/maker.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT(text)                                        \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static const struct function_file files[] = {
	{ TEXT(""), TEXT("") },
	{ TEXT("/s"), TEXT("a.c") },
	{ TEXT("/s"), TEXT("b.h") },
};

/* a.c:1 | [f: b.h:5 | [g: b.h:7]] a.c:2 | b.h:9 [h: line unknown] */
static const struct function_row rows[] = {
	ROW(0x100, 1, 1), ROW(0x104, 2, 5), ROW(0x108, 2, 7),
	ROW(0x10c, 1, 2), ROW(0x110, 2, 9), ROW(0x114, 0, 0),
};
static const struct cairn_range ranges[] = { { 0x104, 0x10c }, { 0x108, 0x10c }, { 0x114, 0x118 } };
static const struct function_inline inlines[] = {
	{ 1, 0, 1, 1, 20, 0, TEXT("f"), 0, 0 },
	{ 2, 1, 1, 2, 21, 0, TEXT("g"), 0, 0 },
	{ 1, 2, 1, 0, 0, 0, TEXT("h"), 0, 0 },
};

static const struct function whole = {
	.start = 0x100,
	.size = 0x20,
	.name = TEXT("main"),
	.files = files,
	.file_count = 3,
	.rows = rows,
	.row_count = COUNT(rows),
	.range = ranges,
	.inlines = inlines,
	.inline_count = COUNT(inlines),
};

static const struct function others[] = {
	{ .start = 0x100, .size = 0x20, .name = TEXT("copy") },
	{ .start = 0x118, .size = 4, .name = TEXT("inner") },
	{ .start = 0x110, .size = 0x20, .name = TEXT("touching"), .source = FUNCTION_SYMBOL },
	{ .start = 0x130, .size = 0, .name = TEXT("sizeless"), .source = FUNCTION_SYMBOL },
	{ .start = 0x140, .size = 4, .name = TEXT("last"), .source = FUNCTION_SYMBOL },
	{ .start = 0x150, .size = 0, .name = TEXT("nothing"), .source = FUNCTION_SYMBOL },
	{ .start = 0x200, .size = 4, .name = TEXT("") },
};

static struct symbfile_maker *make(unsigned threads)
{
	struct symbfile_maker *maker = symbfile_maker_new();
	struct symbfile_shard *shard[2];

	for (unsigned i = 0; i < threads; i++)
		shard[i] = symbfile_maker_shard(maker);
	/* units in another order, and by other threads, make the same file */
	for (unsigned u = 0; u < 1 + COUNT(others); u++) {
		unsigned unit = threads == 1 ? u : (unsigned)COUNT(others) - u;
		struct symbfile_shard *s = shard[unit % threads];
		struct function_sink sink = symbfile_shard_sink(s);
		symbfile_shard_unit(s, unit);
		ck_assert(sink.take(sink.context, unit ? &others[unit - 1] : &whole) == CAIRN_OK);
	}
	ck_assert(symbfile_maker_arrange(maker, NULL) == CAIRN_OK);
	return maker;
}

static void print(char *out, size_t capacity, struct cairn_bytes bytes)
{
	struct symbfile file = symbfile_open(bytes);
	struct symbfile_string_table texts = { .count = 0 };
	struct symbfile_record r;
	size_t at = 0;

	out[0] = '\0';
	while (symbfile_next(&file, &r)) {
		struct symbfile_row row;
		if (r.kind == SYMBFILE_TABLE)
			ck_assert(symbfile_string_table_load(&texts, &r) == CAIRN_OK);
		if (r.kind != SYMBFILE_RANGE)
			continue;
		struct cairn_bytes name = symbfile_string_table_of(&texts, &r.range.function);
		struct cairn_bytes path = symbfile_string_table_of(&texts, &r.range.file);
		struct cairn_bytes call = symbfile_string_table_of(&texts, &r.range.call_file);
		at += (size_t)snprintf(
			out + at, capacity - at, "%" PRIx64 "+%" PRIx64 " %u %.*s %.*s",
			r.range.start, r.range.length, r.range.depth, (int)name.size,
			(const char *)name.data, (int)path.size, (const char *)path.data);
		if (r.range.depth)
			at += (size_t)snprintf(out + at, capacity - at, " <%.*s:%u", (int)call.size,
			                       (const char *)call.data, r.range.call_line);
		struct symbfile_rows rows_of = symbfile_rows(&r);
		while (symbfile_next_row(&rows_of, &row))
			at += (size_t)snprintf(out + at, capacity - at, " %" PRIx64 ":%u",
			                       row.offset, row.line);
		at += (size_t)snprintf(out + at, capacity - at, "\n");
	}
	ck_assert(file.code == SYMBFILE_VALID);
	symbfile_string_table_finish(&texts);
}

START_TEST(makes_trees)
{
	static const char expected[] = "100+10 0 main /s/a.c 0:1 c:2\n"
				       "104+8 1 f /s/b.h </s/a.c:20 0:5\n"
				       "108+4 2 g /s/b.h </s/b.h:21 0:7\n"
				       "110+8 0 main /s/b.h 0:9\n"
				       "114+4 1 h  <:0\n"
				       "118+4 0 inner \n"
				       "11c+4 0 main /s/b.h 0:0\n"
				       "130+10 0 sizeless \n"
				       "140+4 0 last \n";
	struct sink one, two;
	struct cairn_symbfile_summary summary;
	char text[2048];

	struct symbfile_maker *maker = make(1), *other = make(2);
	ck_assert(symbfile_maker_ranges(maker, &one) == CAIRN_OK);
	ck_assert(symbfile_maker_ranges(other, &two) == CAIRN_OK);
	print(text, sizeof(text), (struct cairn_bytes){ one.data, one.size });
	ck_assert_str_eq(text, expected);
	ck_assert(one.size == two.size && memcmp(one.data, two.data, one.size) == 0);
	symbfile_maker_summary(maker, &summary);
	ck_assert_uint_eq(summary.functions, 4);
	ck_assert_uint_eq(summary.symbols, 2);
	ck_assert_uint_eq(summary.repeated, 1);
	ck_assert_uint_eq(summary.covered, 1);
	ck_assert_uint_eq(summary.sizeless, 1);
	ck_assert_uint_eq(summary.nameless, 1);
	free(one.data);
	free(two.data);
	symbfile_maker_free(maker);
	symbfile_maker_free(other);
}
END_TEST

/* call at 0x106 (in f), something that is none, call at 0x110, call at 0x118 (in inner) */
/* Calls in an order that has nothing to do with that of their code, each with several ranges. */
START_TEST(puts_ranges_in_order)
{
	enum { CALLS = 101, EACH = 3, STEP = 37, SIZE = 16, COUNT_OF = CALLS * EACH };
	struct symbfile_maker *maker = symbfile_maker_new();
	struct symbfile_shard *shard = symbfile_maker_shard(maker);
	struct function_sink sink = symbfile_shard_sink(shard);
	static struct cairn_range range[COUNT_OF];
	static struct function_inline call[CALLS];
	struct symbfile_record r;
	struct sink file;
	uint64_t at = 0x1000;

	for (uint32_t i = 0; i < CALLS; i++) {
		call[i] =
			(struct function_inline){ 1, i * EACH, EACH, 1, i + 1, 0, TEXT("f"), 0, 0 };
		for (uint32_t k = 0; k < EACH; k++) {
			uint64_t low = 0x1000 + SIZE * (i * STEP % CALLS + k * CALLS);
			range[i * EACH + k] = (struct cairn_range){ low, low + SIZE };
		}
	}
	struct function scattered = { .start = 0x1000,
		                      .size = SIZE * COUNT_OF,
		                      .name = TEXT("main"),
		                      .files = files,
		                      .file_count = 3,
		                      .range = range,
		                      .inlines = call,
		                      .inline_count = CALLS };
	ck_assert(sink.take(sink.context, &scattered) == CAIRN_OK);
	ck_assert(symbfile_maker_arrange(maker, NULL) == CAIRN_OK);
	ck_assert(symbfile_maker_ranges(maker, &file) == CAIRN_OK);
	struct symbfile in = symbfile_open((struct cairn_bytes){ file.data, file.size });
	while (symbfile_next(&in, &r)) {
		if (r.kind != SYMBFILE_RANGE || r.range.depth == 0)
			continue;
		uint32_t slot = (uint32_t)((at - 0x1000) / SIZE % CALLS);
		ck_assert_uint_eq(r.range.start, at);
		ck_assert_uint_eq((r.range.call_line - 1) * STEP % CALLS, slot);
		at += SIZE;
	}
	ck_assert_uint_eq(at, 0x1000 + SIZE * COUNT_OF);
	free(file.data);
	symbfile_maker_free(maker);
}
END_TEST

/* A size is a claim of the input: it costs no more than a few records. */
START_TEST(bounds_what_a_size_costs)
{
	static const uint64_t sizes[] = { UINT64_C(1) << 33, UINT64_C(1) << 56, UINT64_C(1) << 61,
		                          UINT64_MAX - 0x1000 };
	struct symbfile_maker *maker = symbfile_maker_new();
	struct function_sink sink = symbfile_shard_sink(symbfile_maker_shard(maker));
	struct function f = {
		.start = 0x1000, .size = sizes[_i], .name = TEXT("long"), .source = FUNCTION_SYMBOL
	};
	struct cairn_symbfile_summary summary;
	struct sink file;

	ck_assert_int_eq(sink.take(sink.context, &f), CAIRN_OK);
	ck_assert_int_eq(symbfile_maker_arrange(maker, NULL), CAIRN_OK);
	ck_assert_int_eq(symbfile_maker_ranges(maker, &file), CAIRN_OK);
	symbfile_maker_summary(maker, &summary);
	ck_assert_uint_eq(summary.ranges, _i == 0 ? 3 : 16);
	ck_assert_uint_eq(summary.too_long, _i != 0);
	ck_assert_uint_lt(file.size, 1000);
	free(file.data);
	symbfile_maker_free(maker);
}
END_TEST

/* Names and paths are what somebody wrote; a file of other texts than UTF-8 is refused by readers. */
START_TEST(writes_sound_texts)
{
	static const struct function_file odd[] = { { TEXT(""), TEXT("") },
		                                    { TEXT("/s\xe9"), TEXT("\xc3\xa9\xc3.c") } };
	static const struct function_row row = ROW(0x100, 1, 1);
	static const char expected[] = "100+10 0 \xef\xbf\xbd"
				       "f\xef\xbf\xbd\xef\xbf\xbd "
				       "/s\xef\xbf\xbd/\xc3\xa9\xef\xbf\xbd.c 0:1\n";
	struct symbfile_maker *maker = symbfile_maker_new();
	struct function_sink sink = symbfile_shard_sink(symbfile_maker_shard(maker));
	struct function f = { .start = 0x100,
		              .size = 0x10,
		              .name = TEXT("\xff"
		                           "f\xed\xa0"),
		              .files = odd,
		              .file_count = 2,
		              .rows = &row,
		              .row_count = 1 };
	struct sink file;
	char text[256];

	ck_assert_int_eq(sink.take(sink.context, &f), CAIRN_OK);
	ck_assert_int_eq(symbfile_maker_arrange(maker, NULL), CAIRN_OK);
	ck_assert_int_eq(symbfile_maker_ranges(maker, &file), CAIRN_OK);
	print(text, sizeof(text), (struct cairn_bytes){ file.data, file.size });
	ck_assert_str_eq(text, expected);
	free(file.data);
	symbfile_maker_free(maker);
}
END_TEST

START_TEST(makes_return_pads)
{
	static const uint8_t code[0x44] = {
		[6] = 0xe8, [0xb] = 0x90, [0xc] = 0x06, [0x10] = 0xff, [0x11] = 0xd0, [0x18] = 0xcd
	};
	static uint8_t filled[sizeof(code)];
	struct maker_code_piece piece = { 0x100, { filled, sizeof(filled) } };
	struct maker_code known = { CAIRN_MACHINE_AMD64, &piece, 1 };
	struct maker_code unknown = { CAIRN_MACHINE_S390X, &piece, 1 };
	static const uint64_t keys[] = { 0x10a, 0x111, 0x119 };
	struct sink file;
	struct symbfile_record r;
	size_t pads = 0;

	for (size_t i = 0; i < sizeof(code); i++)
		filled[i] = code[i] || (i > 6 && i < 11) ? code[i] : 0x90;
	filled[0x19] = 0x80;
	struct symbfile_maker *maker = make(1);
	ck_assert(symbfile_maker_pads(maker, &unknown, &file) == CAIRN_UNSUPPORTED);
	ck_assert(symbfile_maker_pads(maker, &known, &file) == CAIRN_OK);
	struct symbfile symbfile = symbfile_open((struct cairn_bytes){ file.data, file.size });
	while (symbfile_next(&symbfile, &r)) {
		if (r.kind != SYMBFILE_PAD)
			continue;
		ck_assert(pads < COUNT(keys));
		ck_assert_uint_eq(r.pad.address, keys[pads]);
		ck_assert_uint_eq(r.pad.frames.count, pads == 0 ? 2 : 1);
		pads++;
	}
	ck_assert_uint_eq(pads, COUNT(keys));
	free(file.data);
	symbfile_maker_free(maker);
}
END_TEST

/* The index and a reading of all agree at each address, and with what the rows say. */
START_TEST(answers_each_address)
{
	struct symbfile_maker *maker = make(1);
	struct sink file;
	struct symbfile_built built;

	ck_assert(symbfile_maker_ranges(maker, &file) == CAIRN_OK);
	struct cairn_bytes bytes = { file.data, file.size };
	ck_assert(symbfile_build(&bytes, 1, NULL, &built) == CAIRN_OK);
	for (uint64_t va = 0xf0; va < 0x160; va++) {
		struct symbfile_chain chain;
		struct symbfile_scan scan;
		struct cairn_location a, b;
		bool found = symbfile_index_find(&built.index, va, &chain);
		ck_assert(symbfile_scan(bytes, va, &scan) == CAIRN_OK);
		size_t at = scan.count;
		ck_assert(found == (scan.count > 0));
		while (symbfile_scan_next(&scan, &at, &b)) {
			ck_assert(symbfile_chain_next(&chain, &a));
			ck_assert(a.line == b.line && a.file.size == b.file.size);
			ck_assert_mem_eq(a.function.data, b.function.data, b.function.size);
		}
		ck_assert(!found || !symbfile_chain_next(&chain, &a));
		symbfile_scan_finish(&scan);
	}
	symbfile_built_free(&built);
	free(file.data);
	symbfile_maker_free(maker);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbfile_maker");
	TCase *tcase = tcase_create("maker");

	tcase_add_test(tcase, makes_trees);
	tcase_add_test(tcase, puts_ranges_in_order);
	tcase_add_loop_test(tcase, bounds_what_a_size_costs, 0, 4);
	tcase_add_test(tcase, writes_sound_texts);
	tcase_add_test(tcase, makes_return_pads);
	tcase_add_test(tcase, answers_each_address);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
