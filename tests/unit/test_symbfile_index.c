/* SPDX-License-Identifier: MIT */
/*
 * Indexes of trees in many orders: ascending ones share an outline, others do not, and those that
 * overlap are taken out of their run and swept.  Each address must have the chain that reading
 * the whole file gives.
 */
#include "unit.h"

#include "formats/symbfile_write.h"
#include "scan_answer.h"
#include "symbols/index_build.h"

#include <inttypes.h>

enum { BASE = 0x1000, SPAN = 0x400, TREES = 40, CAPACITY = 1 << 16 };

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static struct symbfile_text letter(uint64_t number)
{
	static const uint8_t letters[] = "abcdefghijklmnopqrstuvwxyz";

	return (struct symbfile_text){ &letters[number % 26], 1, SYMBFILE_INLINE };
}

struct writing {
	struct symbfile_writer writer;
	struct sink out;
	uint64_t state;
};

static void put(struct writing *w, uint64_t start, uint64_t length, uint32_t depth)
{
	struct symbfile_row row = { 0, (uint32_t)(next_random(&w->state) % 9) };
	struct symbfile_line_rows lines = { &row, 1 };
	struct symbfile_range range = { .start = start,
		                        .length = length,
		                        .depth = depth,
		                        .function = letter(next_random(&w->state)),
		                        .call_line = depth ? 7 : 0 };

	ck_assert(symbfile_put_range(&w->writer, &w->out, &range, &lines) == SYMBFILE_VALID);
}

static void put_tree(struct writing *w, uint64_t start)
{
	put(w, start, 0x10, 0);
	if (next_random(&w->state) % 2)
		put(w, start + 4, 4, 1);
	if (next_random(&w->state) % 2)
		put(w, start + 8, 8, 1);
}

/* In each row: how many of ten trees are somewhere, and not behind the one before. */
static const unsigned strays[] = { 0, 1, 5, 10 };

static void check(const struct symbfile_index *index, struct cairn_bytes bytes, uint64_t va)
{
	struct symbfile_chain chain;
	struct symbfile_scan scan;
	struct cairn_location a, b;
	bool found = symbfile_index_find(index, va, &chain);

	ck_assert(symbfile_scan(bytes, va, &scan) == CAIRN_OK);
	ck_assert_msg(found == (scan.count > 0), "0x%" PRIx64 ": %zu ranges", va, scan.count);
	for (size_t at = scan.count; symbfile_scan_next(&scan, &at, &b);) {
		ck_assert_msg(symbfile_chain_next(&chain, &a), "0x%" PRIx64 ": too short", va);
		ck_assert_msg(a.function.data[0] == b.function.data[0] && a.line == b.line,
		              "0x%" PRIx64 ": %c:%u, not %c:%u", va, a.function.data[0], a.line,
		              b.function.data[0], b.line);
	}
	ck_assert_msg(!found || !symbfile_chain_next(&chain, &a), "0x%" PRIx64 ": too long", va);
	symbfile_scan_finish(&scan);
}

START_TEST(answers_in_any_order)
{
	uint8_t *bytes = malloc(CAPACITY);
	struct writing w = { .out = sink_open(bytes, CAPACITY), .state = 88172645463325252 };

	ck_assert(bytes);
	for (unsigned turn = 0; turn < 8; turn++) {
		struct symbfile_built built;
		uint64_t at = BASE;
		w.out.size = 0;
		w.writer.has_previous = false;
		symbfile_put_start(&w.out);
		for (unsigned i = 0; i < TREES; i++) {
			bool stray = next_random(&w.state) % 10 < strays[_i];
			put_tree(&w, stray ? BASE + next_random(&w.state) % SPAN : at);
			at += 0x10 + next_random(&w.state) % 2 * 8;
		}
		struct cairn_bytes file = { bytes, w.out.size };
		ck_assert(symbfile_build(&file, 1, NULL, &built) == CAIRN_OK);
		for (uint64_t va = BASE - 1; va < BASE + SPAN + 0x20; va++)
			check(&built.index, file, va);
		symbfile_built_free(&built);
	}
	free(bytes);
}
END_TEST

/* The end of the address space is far from its beginning, although a difference wraps around. */
static const uint64_t ends[][3] = {
	{ UINT64_MAX - 1, 1, 1 },
	{ UINT64_MAX - 1, 0, UINT64_MAX - 3 },
	{ 1, UINT64_MAX - 1, 3 },
	{ UINT64_C(1) << 31, 0, UINT64_MAX - 1 },
	{ UINT64_MAX - (UINT64_C(1) << 31), 5, 0 },
};

START_TEST(answers_at_both_ends)
{
	uint8_t *bytes = malloc(CAPACITY);
	struct writing w = { .out = sink_open(bytes, CAPACITY), .state = 88172645463325252 };
	struct symbfile_built built;

	symbfile_put_start(&w.out);
	for (size_t i = 0; i < COUNT(ends[0]); i++)
		put(&w, ends[_i][i], 1, 0);
	struct cairn_bytes file = { bytes, w.out.size };
	ck_assert(symbfile_build(&file, 1, NULL, &built) == CAIRN_OK);
	for (size_t i = 0; i < COUNT(ends[0]); i++)
		for (uint64_t step = 0; step < 3; step++)
			check(&built.index, file, ends[_i][i] + step - 1);
	symbfile_built_free(&built);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbfile_index");
	TCase *tcase = tcase_create("index");

	tcase_set_timeout(tcase, 60); /* for sanitizers on a busy machine */
	tcase_add_loop_test(tcase, answers_in_any_order, 0, COUNT(strays));
	tcase_add_loop_test(tcase, answers_at_both_ends, 0, COUNT(ends));
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
