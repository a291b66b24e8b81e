/* SPDX-License-Identifier: MIT */
/* Tests the search for Swift backtraces in a hand-made process memory. */
#include "failing_alloc.h"
#include "traces/swift_backtrace_scan.h"
#include "unit.h"

/* Memory of a process: one stretch, filled from the front. */
enum { SIZE = 8192, ISA = 0x40, OTHER_ISA = 0x80, NO_CLASS = 0xc0 };
#define BASE ((uint64_t)0x100000)

static struct process {
	uint8_t memory[SIZE];
	size_t used;
	struct cairn_target target;
} process;

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct process *p = context;

	if (address < BASE || address - BASE > SIZE || size > SIZE - (address - BASE))
		return CAIRN_UNREADABLE;
	memcpy(buffer, p->memory + (address - BASE), size);
	return CAIRN_OK;
}

static void put(size_t at, uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		process.memory[at + i] = (uint8_t)(word >> (8 * i));
}

/* Room for so many bytes; the offset of the first. */
static size_t take(size_t size)
{
	size_t at = process.used;

	process.used += (size + 15) / 16 * 16;
	ck_assert_uint_le(process.used, SIZE);
	return at;
}

/* Two classes lie at the front; behind them everything is taken as it comes. */
static void setup(void)
{
	memset(&process, 0, sizeof(process));
	process.target = (struct cairn_target){ read_memory, &process };
	process.used = 0x100;
	put(ISA + 8, BASE + 0x10);
	put(OTHER_ISA + 8, BASE + 0x10);
	put(NO_CLASS, 7);
}

static uint64_t array_of(size_t isa, struct cairn_bytes bytes, uint64_t count)
{
	size_t at = take(32 + bytes.size);

	put(at, BASE + isa);
	put(at + 8, 3);
	put(at + 16, count);
	put(at + 24, 2 * count);
	memcpy(process.memory + at + 32, bytes.data, bytes.size);
	return BASE + at;
}

static uint64_t byte_array(size_t isa, const char *text, size_t size)
{
	return array_of(isa, (struct cairn_bytes){ (const uint8_t *)text, size }, size);
}

#define ARRAY(isa, text) byte_array(isa, text, sizeof(text) - 1)

static void value(uint64_t array, uint64_t images)
{
	size_t at = take(56);

	put(at, 0x000034365f363878);
	put(at + 8, 0xe600000000000000);
	put(at + 16, array);
	put(at + 40, images);
}

static void put_image(size_t at, uint64_t path, uint64_t build_id, uint64_t base, uint64_t end)
{
	put(at + 16, path ? 0xf000000000000004 : 0x7865); /* "ex" */
	put(at + 24, path ? path : 0xe200000000000000);
	put(at + 32, build_id);
	put(at + 40, base);
	put(at + 48, end);
}

/* Two images: "ex" without an ID, and "/a/b" with one. */
static uint64_t image_array(void)
{
	static const uint8_t elements[2 * 56] = { 0 };
	uint64_t build_id = ARRAY(ISA, "\1\2\3"), path = ARRAY(OTHER_ISA, "/a/b");
	uint64_t array = array_of(OTHER_ISA, (struct cairn_bytes){ elements, sizeof(elements) }, 2);
	size_t at = (size_t)(array - BASE) + 32;

	put_image(at, 0, 0, 0x1000, 0x2000);
	put_image(at + 56, path, build_id, 0x3000, 0x4000);
	return array;
}

static enum cairn_status scan(struct swift_scan *f, bool arrays)
{
	struct cairn_bytes all = { process.memory, SIZE };
	enum cairn_status status = swift_scan_block(f, BASE, all);

	if (status != CAIRN_OK)
		return status;
	swift_scan_resolve(f);
	return arrays ? swift_scan_block_arrays(f, BASE, all) : CAIRN_OK;
}

static void find(struct swift_scan *f, bool arrays)
{
	swift_scan_init(f, &process.target);
	ck_assert_int_eq(scan(f, arrays), CAIRN_OK);
}

#define SOUND "\2\45\125\125\0\0\20\10\0"
#define CUT "\2\20\1\1"

START_TEST(tells_each_array_once)
{
	uint64_t second, first = ARRAY(ISA, CUT), images = image_array();
	struct cairn_bytes bytes;
	struct swift_scan f;

	for (int i = 0; i < 5; i++)
		value(first, i == 3 ? images : 0x7f7f7f78);
	second = ARRAY(ISA, SOUND);
	value(second, 0);
	find(&f, false);
	ck_assert_uint_eq(f.count, 2);
	ck_assert_uint_eq(f.isa, BASE + ISA);
	ck_assert_uint_eq(f.trace[0].array, first);
	ck_assert_uint_eq(f.trace[0].copies, 5);
	ck_assert_uint_eq(f.trace[0].images, images);
	ck_assert_int_eq(f.trace[0].kind, SWIFT_SCAN_VALUE);
	ck_assert_str_eq(f.trace[0].architecture, "x86_64");
	ck_assert_uint_eq(f.trace[1].array, second);
	ck_assert_uint_eq(f.trace[1].images, 0);
	ck_assert_int_eq(swift_scan_read_bytes(&f, &f.trace[1], &bytes), CAIRN_OK);
	ck_assert_uint_eq(bytes.size, sizeof(SOUND) - 1);
	ck_assert_int_eq(memcmp(bytes.data, SOUND, bytes.size), 0);
	ck_assert(!f.gave_up);
	swift_scan_finish(&f);
}
END_TEST

START_TEST(leaves_out_what_is_none)
{
	struct swift_scan f;

	value(ARRAY(ISA, SOUND), 0);
	value(0, 0);
	value(0x7f7f7f78, 0);
	value(BASE + SIZE - 16, 0);
	value(array_of(ISA, (struct cairn_bytes){ (const uint8_t *)"", 0 }, 0), 0);
	value(ARRAY(ISA, "plain text"), 0);
	value(ARRAY(ISA, "\1\20\1\1"), 0);
	value(ARRAY(ISA, "\2\377\21\42"), 0);
	value(array_of(ISA, (struct cairn_bytes){ (const uint8_t *)CUT, 4 }, SIZE), 0);
	value(array_of(ISA, (struct cairn_bytes){ (const uint8_t *)CUT, 4 },
	               SWIFT_SCAN_BYTES_MAX + 1),
	      0);
	find(&f, false);
	ck_assert_uint_eq(f.count, 1);
	swift_scan_finish(&f);
	process.used = 0x100;
	memset(process.memory + 0x100, 0, SIZE - 0x100);
	find(&f, true);
	ck_assert_uint_eq(f.count, 0);
	ck_assert_uint_eq(f.isa, 0);
	swift_scan_finish(&f);
}
END_TEST

START_TEST(names_the_damaged)
{
	struct swift_scan f;

	value(ARRAY(ISA, SOUND), 0);
	value(ARRAY(ISA, "\2\20\1\377"), 0);
	find(&f, false);
	ck_assert_uint_eq(f.count, 2);
	ck_assert_int_eq(f.trace[0].kind, SWIFT_SCAN_VALUE);
	ck_assert_int_eq(f.trace[1].kind, SWIFT_SCAN_DAMAGED);
	swift_scan_finish(&f);
}
END_TEST

/* The class with most sound values wins; what looks like no class has no say. */
START_TEST(learns_the_class)
{
	struct swift_scan f;

	for (int i = 0; i < 3; i++)
		value(ARRAY(NO_CLASS, CUT), 0);
	for (int i = 0; i < 3; i++)
		value(ARRAY(OTHER_ISA, "\2\20\1\377"), 0);
	value(ARRAY(OTHER_ISA, CUT), 0);
	value(ARRAY(ISA, CUT), 0);
	value(ARRAY(ISA, SOUND), 0);
	find(&f, false);
	ck_assert_uint_eq(f.isa, BASE + ISA);
	ck_assert_uint_eq(f.count, 2);
	swift_scan_finish(&f);
	put(ISA + 8, 0);
	put(OTHER_ISA + 8, 0);
	find(&f, false);
	ck_assert_uint_eq(f.isa, BASE + NO_CLASS);
	ck_assert_uint_eq(f.count, 3);
	swift_scan_finish(&f);
}
END_TEST

START_TEST(finds_bare_arrays)
{
	uint64_t stream;
	struct swift_scan f;

	value(ARRAY(ISA, SOUND), 0);
	stream = ARRAY(ISA, "\2\20\1\0\1\20\2\1");
	ARRAY(OTHER_ISA, CUT);
	ARRAY(ISA, "\2\0");
	ARRAY(ISA, "\2\20\1\0\1\20\2\377");
	ARRAY(ISA, "\4\20\1\0");
	find(&f, true);
	ck_assert_uint_eq(f.count, 2);
	ck_assert_int_eq(f.trace[1].kind, SWIFT_SCAN_ARRAY);
	ck_assert_uint_eq(f.trace[1].array, stream);
	ck_assert_ptr_null(f.trace[1].architecture);
	swift_scan_finish(&f);
}
END_TEST

START_TEST(reads_images)
{
	struct loaded_images images;
	struct swift_scan f;

	value(ARRAY(ISA, SOUND), image_array());
	value(ARRAY(ISA, CUT), 0);
	find(&f, false);
	loaded_images_init(&images);
	ck_assert_int_eq(swift_scan_read_images(&f, &f.trace[0], &images), CAIRN_OK);
	ck_assert_uint_eq(images.count, 2);
	ck_assert_uint_eq(images.item[0].image.base, 0x1000);
	ck_assert_uint_eq(images.item[0].image.build_id.size, 0);
	ck_assert_uint_eq(images.item[0].image.path.size, 2);
	ck_assert_int_eq(memcmp(images.item[0].image.path.data, "ex", 2), 0);
	ck_assert_uint_eq(images.item[1].image.end, 0x4000);
	ck_assert_uint_eq(images.item[1].image.build_id.size, 3);
	ck_assert_uint_eq(images.item[1].image.path.size, 4);
	ck_assert_int_eq(memcmp(images.item[1].image.path.data, "/a/b", 4), 0);
	ck_assert_int_eq(swift_scan_read_images(&f, &f.trace[1], &images), CAIRN_NOT_FOUND);
	loaded_images_finish(&images);
	swift_scan_finish(&f);
}
END_TEST

/* Images that do not ascend, or end before they begin, are something else. */
START_TEST(doubts_images)
{
	uint64_t images = image_array();
	struct swift_scan f;

	value(ARRAY(ISA, SOUND), images);
	put((size_t)(images - BASE) + 32 + 56 + 40, 0xfff);
	find(&f, false);
	ck_assert_uint_eq(f.trace[0].images, 0);
	swift_scan_finish(&f);
	put((size_t)(images - BASE) + 32 + 56 + 40, 0x4000);
	find(&f, false);
	ck_assert_uint_eq(f.trace[0].images, 0);
	swift_scan_finish(&f);
}
END_TEST

/* Blocks that overlap by a value give what one block gives. */
START_TEST(scans_in_blocks)
{
	struct swift_scan whole, parts;
	enum { STEP = 96, OVERLAP = 56 };

	for (int i = 0; i < 9; i++) {
		value(ARRAY(ISA, SOUND), 0);
		take(16);
	}
	find(&whole, false);
	swift_scan_init(&parts, &process.target);
	for (size_t at = 4; at < SIZE; at += STEP) {
		size_t size = SIZE - at < STEP + OVERLAP ? SIZE - at : STEP + OVERLAP;
		struct cairn_bytes block = { process.memory + at, size };
		ck_assert_int_eq(swift_scan_block(&parts, BASE + at, unit_exact(block)), CAIRN_OK);
	}
	swift_scan_resolve(&parts);
	ck_assert_uint_eq(whole.count, 9);
	ck_assert_uint_eq(parts.count, 9);
	for (size_t i = 0; i < 9; i++)
		ck_assert_uint_eq(parts.trace[i].array, whole.trace[i].array);
	swift_scan_finish(&whole);
	swift_scan_finish(&parts);
}
END_TEST

START_TEST(runs_out_of_memory)
{
	bool failed = true;
	size_t tries = 0;

	for (int i = 0; i < 70; i++)
		value(ARRAY(ISA, CUT), 0);
	ARRAY(ISA, "\2\20\1\0\1\20\2\1");
	while (failed) {
		struct swift_scan f;
		failing_alloc_begin(++tries);
		swift_scan_init(&f, &process.target);
		enum cairn_status status = scan(&f, true);
		size_t count = f.count;
		swift_scan_finish(&f);
		failed = failing_alloc_end();
		if (!failed)
			ck_assert_uint_eq(count, 71);
		ck_assert(status == CAIRN_OK || (failed && status == CAIRN_NO_MEMORY));
	}
	ck_assert_uint_gt(tries, 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("finder");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, tells_each_array_once);
	tcase_add_test(tc, leaves_out_what_is_none);
	tcase_add_test(tc, names_the_damaged);
	tcase_add_test(tc, learns_the_class);
	tcase_add_test(tc, finds_bare_arrays);
	tcase_add_test(tc, reads_images);
	tcase_add_test(tc, doubts_images);
	tcase_add_test(tc, scans_in_blocks);
	tcase_add_test(tc, runs_out_of_memory);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
