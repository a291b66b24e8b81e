/* SPDX-License-Identifier: MIT */
/* Traces as a host sees them, by cairn.h alone. */
#include "unit.h"

/* Memory of a process: one stretch with a hole of a page in it. */
enum { SIZE = 3 << 18, HOLE = 0x50000, PAGE = 4096, BLOCK = 1 << 18 };
#define BASE ((uint64_t)0x7f0000100000)

static uint8_t memory[SIZE];
static struct cairn_space *space;

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	uint64_t at = address - BASE;

	(void)context;
	if (address < BASE || at > SIZE || size > SIZE - at ||
	    (at < HOLE + PAGE && at + size > HOLE))
		return CAIRN_UNREADABLE;
	memcpy(buffer, memory + at, size);
	return CAIRN_OK;
}

static void put(size_t at, uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		memory[at + i] = (uint8_t)(word >> (8 * i));
}

static void setup(void)
{
	const struct cairn_target target = { read_memory, NULL };

	memset(memory, 0, sizeof(memory));
	put(0x48, BASE + 0x80); /* a class at 0x40 */
	space = cairn_space_new(&target);
	ck_assert_ptr_nonnull(space);
}

static void teardown(void)
{
	cairn_space_free(space);
}

static void put_array(size_t at, const void *bytes, size_t size, uint64_t count)
{
	put(at, BASE + 0x40);
	put(at + 8, 3);
	put(at + 16, count);
	put(at + 24, 2 * count);
	memcpy(memory + at + 32, bytes, size);
}

static void put_value(size_t at, size_t array, size_t images)
{
	put(at, 0x000034365f363878);
	put(at + 8, 0xe600000000000000);
	put(at + 16, BASE + array);
	put(at + 40, images ? BASE + images : 0);
}

static const struct row {
	const char *name;
	struct cairn_bytes bytes;
	unsigned runs;
	const char *end;
	bool cut;
	size_t consumed;
	enum cairn_status status;
	unsigned word_bits;
} rows[] = {
	{ "ended", BYTES("\2\x18\x10\0"), 1, "end", false, 4, CAIRN_OK, 64 },
	{ "cut", BYTES("\1\x18\x10\x84\1"), 1, "trunc", true, 5, CAIRN_OK, 32 },
	{ "out of bytes", BYTES("\0\x18\x10\x45"), 2, "eof", false, 4, CAIRN_OK, 16 },
	{ "damaged", BYTES("\2\x18\x10\x09"), 1, "reserved", false, 3, CAIRN_MALFORMED, 64 },
	{ "empty", BYTES(""), 0, "empty", false, 0, CAIRN_TRUNCATED, 0 },
};

START_TEST(goes_through_a_trace)
{
	const struct row *r = &rows[_i];
	struct cairn_trace trace;
	struct cairn_frame run;
	unsigned runs = 0;

	cairn_trace_open(unit_exact(r->bytes), &trace);
	while (cairn_trace_next(&trace, &run))
		runs++;
	ck_assert_msg(runs == r->runs, "%s: %u runs", r->name, runs);
	ck_assert_str_eq(cairn_trace_end_name(&trace), r->end);
	ck_assert(trace.cut == r->cut);
	ck_assert_uint_eq(trace.consumed, r->consumed);
	ck_assert_int_eq(trace.fault.status, r->status);
	ck_assert_uint_eq(trace.word_bits, r->word_bits);
}
END_TEST

START_TEST(reads_to_the_end)
{
	struct cairn_bytes bytes;

	memcpy(memory + 0x100, "\2\x18\x10\0\x18", 5);
	ck_assert_int_eq(cairn_trace_read(space, BASE + 0x100, 0, &bytes), CAIRN_OK);
	ck_assert_uint_eq(bytes.size, 4);
	ck_assert_int_eq(cairn_trace_read(space, BASE + 0x100, 5, &bytes), CAIRN_OK);
	ck_assert_uint_eq(bytes.size, 5);
	/* as long as it can be read: it ends at the hole */
	memset(memory + 0x20000, 0x20, HOLE - 0x20000); /* relative, of one byte: 20 20 */
	memory[0x20000] = 2;
	ck_assert_int_eq(cairn_trace_read(space, BASE + 0x20000, 0, &bytes), CAIRN_OK);
	ck_assert_uint_eq(bytes.size, HOLE - 0x20000);
	/* damage, with the whole of the instruction */
	memcpy(memory + 0x200, "\2\x8b\1\2\3\4\0\0\0", 9);
	ck_assert_int_eq(cairn_trace_read(space, BASE + 0x200, 0, &bytes), CAIRN_OK);
	ck_assert_uint_eq(bytes.size, 1 + 33);
}
END_TEST

START_TEST(refuses_what_cannot_be_read)
{
	struct cairn_bytes bytes;

	ck_assert_int_eq(cairn_trace_read(space, BASE + HOLE, 0, &bytes), CAIRN_UNREADABLE);
	ck_assert_int_eq(cairn_trace_read(space, BASE + HOLE - 4, 5, &bytes), CAIRN_UNREADABLE);
	ck_assert_int_eq(cairn_trace_read(space, BASE, CAIRN_TRACE_BYTES_MAX + 1, &bytes),
	                 CAIRN_UNSUPPORTED);
}
END_TEST

static void find(void)
{
	const struct cairn_range all = { BASE, BASE + SIZE };

	ck_assert_int_eq(cairn_trace_search_begin(space), CAIRN_OK);
	ck_assert_int_eq(cairn_trace_search_scan(space, all), CAIRN_OK);
	cairn_trace_search_resolve(space);
}

/* Values at the seam of two blocks, and behind the hole. */
START_TEST(finds_across_blocks_and_holes)
{
	const size_t values[] = { BLOCK - 48, BLOCK + 0x800, HOLE + PAGE + 8, SIZE - 56 };
	struct cairn_found_trace found;
	size_t at = 0;

	for (size_t i = 0; i < COUNT(values); i++) {
		put_array(0x1000 + i * 0x100, "\2\x18\x10", 3, 3);
		put_value(values[i], 0x1000 + i * 0x100, 0);
	}
	put_array(0x2000, "\2\x18\x10\0\2\x18\x20", 7, 7);
	find();
	for (size_t i = 0; i < COUNT(values); i++) {
		ck_assert(cairn_trace_search_next(space, &at, &found));
		ck_assert(found.array == BASE + 0x1000 + i * 0x100);
		ck_assert(found.kind == CAIRN_FOUND_TRACE_VALUE && found.size == 3);
		ck_assert(found.class_address == BASE + 0x40 && found.copies >= 1);
		ck_assert_str_eq(found.architecture, "x86_64");
	}
	ck_assert(!cairn_trace_search_next(space, &at, &found));
	ck_assert(!cairn_trace_search_is_incomplete(space));
	ck_assert_int_eq(
		cairn_trace_search_scan_arrays(space, (struct cairn_range){ BASE, BASE + SIZE }),
		CAIRN_OK);
	ck_assert(cairn_trace_search_next(space, &at, &found));
	ck_assert(found.kind == CAIRN_FOUND_TRACE_ARRAY && found.array == BASE + 0x2000);
	find();
	ck_assert(!cairn_trace_search_next(space, &at, &found));
}
END_TEST

START_TEST(gives_up_on_nothing_but_holes)
{
	const struct cairn_range far = { 0x1000, UINT64_MAX };

	ck_assert_int_eq(cairn_trace_search_begin(space), CAIRN_OK);
	ck_assert_int_eq(cairn_trace_search_scan(space, far), CAIRN_UNSUPPORTED);
	ck_assert_int_eq(cairn_trace_search_begin(space), CAIRN_OK);
	ck_assert_int_eq(
		cairn_trace_search_scan(space, (struct cairn_range){ UINT64_MAX - 9, UINT64_MAX }),
		CAIRN_OK);
}
END_TEST

/* The limit is for all ranges of a search together. */
START_TEST(counts_the_holes_of_all_ranges)
{
	const uint64_t half = CAIRN_TRACE_SEARCH_HOLES_MAX / 2 * (uint64_t)PAGE;
	const struct cairn_range first = { 0, half }, last = { half, 2 * half };
	const struct cairn_range but_one = { half, 2 * half - PAGE };

	ck_assert_int_eq(cairn_trace_search_begin(space), CAIRN_OK);
	ck_assert_int_eq(cairn_trace_search_scan(space, first), CAIRN_OK);
	ck_assert_int_eq(cairn_trace_search_scan(space, but_one), CAIRN_OK);
	ck_assert_int_eq(cairn_trace_search_begin(space), CAIRN_OK);
	ck_assert_int_eq(cairn_trace_search_scan(space, first), CAIRN_OK);
	ck_assert_int_eq(cairn_trace_search_scan(space, last), CAIRN_UNSUPPORTED);
}
END_TEST

START_TEST(takes_one_value_with_its_images)
{
	struct cairn_image image;
	struct cairn_found_trace found;
	struct cairn_bytes bytes;
	uint8_t element[56] = { 0 };
	size_t count;

	memcpy(element + 16, "/x", 2);
	element[16 + 15] = 0xe2;
	element[41] = 0x10; /* 0x1000 to 0x2000 */
	element[49] = 0x20;
	put_array(0x1000, "\2\x18\x10", 3, 3);
	put_array(0x2000, element, sizeof(element), 1);
	put_value(0x3000, 0x1000, 0x2000);
	put_value(0x4000, HOLE, 0);
	put_value(0x5000, 0x600, 0);
	ck_assert_int_eq(cairn_found_trace_at(space, BASE + 0x3000, &found), CAIRN_OK);
	ck_assert_int_eq(cairn_found_trace_bytes(space, &found, &bytes), CAIRN_OK);
	ck_assert(bytes.size == 3 && bytes.data[0] == 2);
	ck_assert_int_eq(cairn_found_trace_images(space, &found, &count), CAIRN_OK);
	ck_assert_uint_eq(count, 1);
	ck_assert(cairn_found_trace_image(space, 0x1fff, &image));
	ck_assert(image.base == 0x1000 && image.end == 0x2000 && image.name.size == 1);
	ck_assert(!cairn_found_trace_image(space, 0x2000, &image));
	found.images = 0;
	ck_assert_int_eq(cairn_found_trace_images(space, &found, &count), CAIRN_NOT_FOUND);
	ck_assert(!cairn_found_trace_image(space, 0x1fff, &image));
	ck_assert_int_eq(cairn_found_trace_at(space, BASE + 0x3008, &found), CAIRN_NOT_FOUND);
	ck_assert_int_eq(cairn_found_trace_at(space, BASE + 0x5000, &found), CAIRN_NOT_FOUND);
	ck_assert_int_eq(cairn_found_trace_at(space, BASE + 0x4000, &found), CAIRN_UNREADABLE);
	ck_assert_int_eq(cairn_found_trace_at(space, BASE + HOLE, &found), CAIRN_UNREADABLE);
}
END_TEST

START_TEST(forgets)
{
	struct cairn_found_trace found;
	size_t at = 0;

	put_array(0x1000, "\2\x18\x10", 3, 3);
	put_value(0x3000, 0x1000, 0);
	find();
	cairn_space_reset(space);
	ck_assert(!cairn_trace_search_next(space, &at, &found));
	ck_assert(!cairn_trace_search_is_incomplete(space));
	find();
	ck_assert(cairn_trace_search_next(space, &at, &found));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traces");
	TCase *tcase = tcase_create("traces");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, goes_through_a_trace, 0, COUNT(rows));
	tcase_add_test(tcase, reads_to_the_end);
	tcase_add_test(tcase, refuses_what_cannot_be_read);
	tcase_add_test(tcase, finds_across_blocks_and_holes);
	tcase_add_test(tcase, gives_up_on_nothing_but_holes);
	tcase_add_test(tcase, counts_the_holes_of_all_ranges);
	tcase_add_test(tcase, takes_one_value_with_its_images);
	tcase_add_test(tcase, forgets);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
