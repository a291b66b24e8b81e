/* SPDX-License-Identifier: MIT */
/* Which addresses have call frame information: by the search table, and by walking the entries. */
#include "unwind/tables/cfi_coverage.h"

#include "fake_target.h"
#include "unit.h"

enum {
	VA = 0x10000,    /* of the image as linked */
	FRAMES = 0x2000, /* in it */
	HEADER = 0x8000,
	HEADER_SIZE = 12,
	CODE = 0x100000, /* from the image's start */
	MANY = 1200,     /* more than are read at once */
	MAX = 1300,
};

#define BASE 0x7f0000000000ull
#define START (VA + CODE)

static struct fake_target world;
static struct fixture_out image;
static struct cfi_coverage cfi;
static struct cairn_range ranges[MAX];
static size_t places[MAX], end;
static struct cfi_memory view;

/* FDE number n covers [16 n, 16 n + size) from the start of the code. */
static void make(unsigned count, unsigned size)
{
	for (unsigned i = 0; i < count; i++)
		ranges[i] = (struct cairn_range){ START + 16 * i, START + 16 * i + size };
	image.size = FIXTURE_OUT_MAX;
	memset(image.data, 0, FIXTURE_OUT_MAX);
	fake_target_frames(&image, VA, FRAMES, ranges, count, places, &end);
	fake_target_header(&image, VA, HEADER, FRAMES, ranges, count, places);
}

static bool is_covered(uint64_t va)
{
	return cfi_coverage_find(&cfi, &view, va)->covered;
}

static void setup(void)
{
	fake_target_init(&world);
	fake_target_map(&world, BASE, image.data, FIXTURE_OUT_MAX);
	view = (struct cfi_memory){ &world.target, BASE - VA, false, 8 };
	memset(&cfi, 0, sizeof(cfi));
	cfi.header = VA + HEADER;
}

static void teardown(void)
{
	cfi_coverage_finish(&cfi);
}

static bool open_table(unsigned count)
{
	return cfi_coverage_open_header(&cfi, &view, HEADER_SIZE + 8 * (uint64_t)count);
}

static bool walk(void)
{
	return cfi_coverage_walk(&cfi, &view, VA + FRAMES, end - FRAMES, START, START + 0x100000);
}

static bool covers(uint64_t offset)
{
	return is_covered(START + offset);
}

static const unsigned counts[] = { 1, 2, 3, CFI_BLOCK - 1, CFI_BLOCK, CFI_BLOCK + 1, MANY };

/* Each address, in an order that the cache does not like; gaps between functions too. */
static void check_all(unsigned count, unsigned size)
{
	for (uint64_t i = 0; i < 16ull * count; i++) {
		uint64_t offset = i * 7919 % (16ull * count);
		ck_assert_msg(covers(offset) == (offset % 16 < size), "%u FDEs, at %#lx", count,
		              (unsigned long)offset);
	}
	ck_assert(!covers(16ull * count));
	ck_assert(!covers(0x80000));
	ck_assert(!is_covered(START - 1));
	ck_assert(!is_covered(0));
	ck_assert(!is_covered(~0ull));
}

START_TEST(searches_the_table)
{
	make(counts[_i], 12);
	ck_assert(open_table(counts[_i]));
	ck_assert_int_eq(cfi.state, CFI_TABLE);
	check_all(counts[_i], 12);
}
END_TEST

START_TEST(walks_the_entries)
{
	make(counts[_i], 12);
	ck_assert(walk());
	ck_assert_int_eq(cfi.state, CFI_LIST);
	ck_assert_uint_eq(cfi.list_count, counts[_i]);
	check_all(counts[_i], 12);
}
END_TEST

/* An answer names the FDE that gives it, by table as by list. */
START_TEST(tells_which_fde)
{
	make(MANY, 12);
	ck_assert(_i ? walk() : open_table(MANY));
	for (unsigned n = 0; n < MANY; n += 7) {
		const struct cfi_range *range = cfi_coverage_find(&cfi, &view, START + 16 * n + 3);
		ck_assert(range->covered && range->fde == VA + places[n]);
		ck_assert(range->low == ranges[n].low && range->high == ranges[n].high);
	}
}
END_TEST

/* The same question again costs no read, in a function as in a gap. */
START_TEST(remembers_answers)
{
	make(MANY, 12);
	ck_assert(open_table(MANY));
	ck_assert(covers(16) && !covers(13));
	unsigned long reads = world.reads;
	ck_assert(covers(16) && covers(17) && !covers(13));
	ck_assert_uint_eq(world.reads, reads);
}
END_TEST

/* A small table comes with its header; of a large one a part is kept, for the functions around one. */
START_TEST(reads_the_table_in_blocks)
{
	unsigned count = _i ? MANY : CFI_BLOCK;

	make(count, 12);
	ck_assert(open_table(count));
	ck_assert_uint_eq(world.reads, 1);
	world.reads = 0;
	ck_assert(covers(16 * 400));
	ck_assert_uint_eq(world.reads, _i ? 5 : 2); /* two entries, a block; the FDE and its CIE */
	world.reads = 0;
	for (unsigned n = 401; n < 411; n++)
		ck_assert(covers(16ull * n) && !covers(16ull * n + 12));
	ck_assert_uint_eq(world.reads, 10 + 10); /* the gap behind a function takes its FDE, too */
}
END_TEST

/* Entries need not be in the order of addresses. */
START_TEST(sorts_what_it_walks)
{
	make(3, 12);
	struct cairn_range mixed[] = { ranges[2], ranges[0], ranges[1] };
	fake_target_frames(&image, VA, FRAMES, mixed, 3, places, &end);
	ck_assert(walk());
	check_all(3, 12);
}
END_TEST

/* What lies outside of the code is left out, and a list of nothing is none. */
START_TEST(leaves_out_what_is_no_code)
{
	make(4, 12);
	ck_assert(
		cfi_coverage_walk(&cfi, &view, VA + FRAMES, end - FRAMES, START + 16, START + 32));
	ck_assert_uint_eq(cfi.list_count, 1);
	ck_assert(!covers(0) && covers(16) && !covers(32));
	ck_assert(!cfi_coverage_walk(&cfi, &view, VA + FRAMES, end - FRAMES, START + 0x1000,
	                             START + 0x2000));
	ck_assert_uint_eq(cfi.list_count, 0);
}
END_TEST

/* 2. Damage */

static const struct {
	const char *name;
	size_t at; /* in the header */
	uint8_t byte;
	uint64_t size; /* of the header, for three entries; 0: what it needs */
} headers[] = {
	{ "another version", 0, 2, 0 },
	{ "frames that count from the code", 1, 0x2b, 0 },
	{ "frames of an unknown form", 1, 0x1d, 0 },
	{ "no frames", 1, 0xff, 0 },
	{ "no count", 2, 0xff, 0 },
	{ "entries of 8 bytes", 3, 0x3c, 0 },
	{ "more entries than fit", 8, 4, 0 },
	{ "far more", 11, 0x80, 0 },
	{ "no entries", 8, 0, 0 },
	{ "a header too short", 8, 3, HEADER_SIZE - 1 },
	{ "a table too short", 8, 3, HEADER_SIZE + 23 },
	{ "no header", 8, 3, 4 },
};

START_TEST(refuses_headers)
{
	uint64_t size = headers[_i].size ? headers[_i].size : HEADER_SIZE + 3 * 8;

	make(3, 12);
	ck_assert(cfi_coverage_open_header(&cfi, &view, HEADER_SIZE + 3 * 8));
	cfi.state = CFI_UNTRIED;
	image.data[HEADER + headers[_i].at] = headers[_i].byte;
	ck_assert_msg(!cfi_coverage_open_header(&cfi, &view, size), "%s", headers[_i].name);
	ck_assert_int_eq(cfi.state, CFI_UNTRIED);
}
END_TEST

/* A header without a table that is read names .eh_frame all the same. */
static const struct {
	const char *name;
	uint8_t frames, count, table;
	uint64_t from; /* what the address of .eh_frame counts from */
	uint8_t word;
} bare_headers[] = {
	{ "no table", 0x1b, 0xff, 0xff, HEADER + 4, 8 },
	{ "a table of 8 bytes", 0x1b, 0x03, 0x3c, HEADER + 4, 8 },
	{ "a table of addresses", 0x1b, 0x03, 0x00, HEADER + 4, 8 },
	{ "a count of 8 bytes", 0x1b, 0x04, 0x3b, HEADER + 4, 8 },
	{ "8 bytes", 0x1c, 0xff, 0xff, HEADER + 4, 8 },
	{ "from the header", 0x3b, 0xff, 0xff, HEADER, 8 },
	{ "from the header, a word", 0x38, 0xff, 0xff, HEADER, 8 },
	{ "absolute", 0x00, 0xff, 0xff, (uint64_t)-VA, 8 },
	{ "absolute, 32-bit", 0x00, 0xff, 0xff, (uint64_t)-VA, 4 },
	{ "aligned", 0x53, 0xff, 0xff, (uint64_t)-VA, 8 },
};

START_TEST(finds_frames_without_a_table)
{
	make(3, 12);
	image.data[HEADER + 1] = bare_headers[_i].frames;
	image.data[HEADER + 2] = bare_headers[_i].count;
	image.data[HEADER + 3] = bare_headers[_i].table;
	fixture_out_poke(&image, HEADER + 4, FRAMES - bare_headers[_i].from, 8);
	view.word = bare_headers[_i].word;
	ck_assert_msg(!cfi_coverage_open_header(&cfi, &view, HEADER_SIZE), "%s",
	              bare_headers[_i].name);
	ck_assert_msg(cfi.frames == VA + FRAMES, "%s: %lx", bare_headers[_i].name,
	              (unsigned long)cfi.frames);
}
END_TEST

/* The table has the function, so that its FDE is read and the reason for the refusal is reported. */
START_TEST(passes_on_addresses_that_are_not_read)
{
	make(3, 12);
	image.data[FRAMES + 16] = 0x3b;
	ck_assert(open_table(3));
	const struct cfi_range *range = cfi_coverage_find(&cfi, &view, START + 20);
	ck_assert(range->covered && range->fde == VA + places[1]);
	ck_assert(range->low == START + 16 && range->high == START + 32);
}
END_TEST

static const struct {
	const char *name;
	unsigned entry; /* its number in .eh_frame, 0 is the CIE */
	size_t at;
	uint64_t value;
	size_t width;
	unsigned left;      /* of three FDEs, when walked */
	bool first, second; /* are they covered, by the table? */
} damages[] = {
	{ "nothing", 0, 8, 1, 1, 3, true, true },
	{ "a terminator amid", 2, 0, 0, 4, 1, true, false },
	{ "an entry longer than the section", 2, 0, 0x7ffffff0, 4, 1, true, true },
	{ "an entry of 3 bytes", 2, 0, 3, 4, 1, true, false },
	{ "a length of 8 bytes that wraps", 2, 0, 0xffffffff, 4, 1, true, false },
	{ "a second FDE that is a CIE", 2, 4, 0, 4, 2, true, false },
	{ "a second FDE without a CIE", 2, 4, 3, 4, 2, true, false },
	{ "a second FDE over all that follows", 2, 12, 0xffffffff, 4, 2, true, true },
	{ "a second FDE without bytes", 2, 12, 0, 4, 3, true, false },
	{ "a CIE of another version", 0, 8, 7, 1, 0, false, false },
	{ "a CIE with unknown letters", 0, 10, 'Q', 1, 0, false, false },
	{ "a CIE with letters we do not know", 0, 9, 'e', 1, 0, false, false },
	{ "indirect addresses", 0, 16, 0x9b, 1, 0, true, true },
	{ "addresses that count from the data", 0, 16, 0x3b, 1, 0, true, true },
	{ "addresses of an unknown form", 0, 16, 0x17, 1, 0, true, true },
};

static void damage(int i)
{
	size_t start = damages[i].entry ? places[damages[i].entry - 1] : FRAMES;

	fixture_out_poke(&image, start + damages[i].at, damages[i].value, damages[i].width);
}

START_TEST(walks_up_to_damage)
{
	make(3, 12);
	damage(_i);
	ck_assert_msg(walk() == (damages[_i].left > 0), "%s", damages[_i].name);
	ck_assert_msg(cfi.list_count == damages[_i].left, "%s: %zu left", damages[_i].name,
	              cfi.list_count);
}
END_TEST

/* A damaged entry costs itself. */
START_TEST(finds_beside_damage)
{
	make(3, 12);
	damage(_i);
	ck_assert(open_table(3));
	ck_assert_msg(covers(4) == damages[_i].first, "%s: first", damages[_i].name);
	ck_assert_msg(covers(20) == damages[_i].second, "%s: second", damages[_i].name);
}
END_TEST

/* An unsorted table finds less, but it ends, and says yes only where an FDE says so. */
START_TEST(survives_an_unsorted_table)
{
	make(MANY, 16);
	for (size_t i = 0; i < MANY; i++)
		fixture_out_poke(&image, HEADER + HEADER_SIZE + 8 * i,
		                 START + i * 7919 % MANY * 16 - (VA + HEADER), 4);
	ck_assert(open_table(MANY));
	for (uint64_t offset = 0; offset < 16 * MANY; offset += 5)
		(void)covers(offset);
	ck_assert(!covers(16 * MANY) && !covers(0x80000));
}
END_TEST

/* A function at the end of the address space may not go on at its beginning. */
START_TEST(refuses_functions_that_wrap)
{
	const uint64_t base = -(uint64_t)FIXTURE_OUT_MAX;
	struct cairn_range range = { (uint64_t)-16, (uint64_t)-4 };

	make(1, 12);
	view.bias = BASE - base;
	for (int wraps = 0; wraps < 2; wraps++, range.high = 4) {
		fake_target_frames(&image, base, FRAMES, &range, 1, places, &end);
		fake_target_header(&image, base, HEADER, FRAMES, &range, 1, places);
		cfi_coverage_finish(&cfi);
		cfi = (struct cfi_coverage){ .header = base + HEADER };
		ck_assert(cfi_coverage_walk(&cfi, &view, base + FRAMES, end - FRAMES, 0,
		                            UINT64_MAX) == !wraps);
		ck_assert(open_table(1));
		ck_assert(is_covered(range.low) == !wraps);
	}
}
END_TEST

/* 3. A target that refuses */

START_TEST(survives_what_cannot_be_read)
{
	make(MANY, 12);
	ck_assert(open_table(MANY));
	unsigned long reads = world.reads;
	ck_assert(covers(16 * 700));
	unsigned long needed = world.reads - reads;
	ck_assert_uint_eq(needed, 5);
	for (unsigned long n = 1; n <= needed; n++) {
		memset(cfi.cache, 0, sizeof(cfi.cache));
		cfi.cie = 0;
		cfi.block.count = 0;
		world.reads = 0;
		world.refuse_at = n;
		/* the table is read once, entries again page by page */
		ck_assert_msg(covers(16 * 700) == (n > 3), "read %lu", n);
		world.refuse_at = 0;
		/* nothing but this one byte is believed to be without */
		ck_assert(covers(16 * 700 + 1));
	}
}
END_TEST

START_TEST(walks_to_the_end_of_a_mapping)
{
	make(MANY, 12);
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, BASE, image.data, FRAMES + 0x2000);
	ck_assert(walk());
	ck_assert_uint_gt(cfi.list_count, (0x2000 - 64) / 20 - 4);
	ck_assert_uint_lt(cfi.list_count, 0x2000 / 20 + 1);
	ck_assert(covers(0) && !covers(16 * MANY - 16));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cfi");
	TCase *tcase = tcase_create("cfi");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, searches_the_table, 0, COUNT(counts));
	tcase_add_loop_test(tcase, walks_the_entries, 0, COUNT(counts));
	tcase_add_loop_test(tcase, tells_which_fde, 0, 2);
	tcase_add_loop_test(tcase, reads_the_table_in_blocks, 0, 2);
	tcase_add_test(tcase, remembers_answers);
	tcase_add_test(tcase, sorts_what_it_walks);
	tcase_add_test(tcase, leaves_out_what_is_no_code);
	tcase_add_loop_test(tcase, refuses_headers, 0, COUNT(headers));
	tcase_add_loop_test(tcase, finds_frames_without_a_table, 0, COUNT(bare_headers));
	tcase_add_test(tcase, passes_on_addresses_that_are_not_read);
	tcase_add_loop_test(tcase, walks_up_to_damage, 0, COUNT(damages));
	tcase_add_loop_test(tcase, finds_beside_damage, 0, COUNT(damages));
	tcase_add_test(tcase, survives_an_unsorted_table);
	tcase_add_test(tcase, refuses_functions_that_wrap);
	tcase_add_test(tcase, survives_what_cannot_be_read);
	tcase_add_test(tcase, walks_to_the_end_of_a_mapping);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
