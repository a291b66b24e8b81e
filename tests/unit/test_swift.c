/* SPDX-License-Identifier: MIT */
/* Tests the reader of Swift backtrace values, arrays, strings and images. */
#include "formats/swift/swift.h"
#include "unit.h"

/* Words as the process has them. */
static void put(uint8_t *at, uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		at[i] = (uint8_t)(word >> (8 * i));
}

enum { WORDS = 16 };

#define X86_64 0x000034365f363878, 0xe600000000000000
#define ARM64 0x00000034366d7261, 0xe500000000000000

static const struct value_row {
	const char *name;
	uint64_t words[WORDS];
	size_t size;   /* of the block */
	size_t count;  /* of values in it */
	size_t offset; /* of the first, and what it says */
	const char *architecture;
	uint64_t array, images;
} value_rows[] = {
	{ "nothing", { 0 }, 0, 0, 0, NULL, 0, 0 },
	{ "zeros", { 0 }, 128, 0, 0, NULL, 0, 0 },
	{ "whole", { X86_64, 0x1000, 1, 2, 0x2000, 2 }, 56, 1, 0, "x86_64", 0x1000, 0x2000 },
	{ "arm64", { ARM64, 0x1000, 1, 2, 0, 2 }, 56, 1, 0, "arm64", 0x1000, 0 },
	{ "at the end", { 0, X86_64, 0x1000 }, 32, 1, 8, "x86_64", 0x1000, 0 },
	{ "cut at the images", { X86_64, 0x1000, 1, 2, 0x2000 }, 47, 1, 0, "x86_64", 0x1000, 0 },
	{ "just the images", { X86_64, 0x1000, 1, 2, 0x2000 }, 48, 1, 0, "x86_64", 0x1000, 0x2000 },
	{ "cut", { 0, X86_64, 0x1000 }, 31, 0, 0, NULL, 0, 0 },
	{ "two", { X86_64, 0x1000, ARM64, 0x2000 }, 128, 2, 0, "x86_64", 0x1000, 0x2000 },
	{ "pointer 0", { X86_64, 0 }, 128, 0, 0, NULL, 0, 0 },
	{ "odd pointer", { X86_64, 0x1004 }, 128, 0, 0, NULL, 0, 0 },
	{ "half an architecture", { 0x000034365f363878, 0, 0x1000 }, 128, 0, 0, NULL, 0, 0 },
	{ "halves of two",
	  { 0x000034365f363878, 0xe500000000000000, 0x1000 },
	  128,
	  0,
	  0,
	  NULL,
	  0,
	  0 },
};

START_TEST(scans_values)
{
	const struct value_row *row = &value_rows[_i];
	uint8_t bytes[8 * WORDS];
	struct swift_value value, first = { 0 };
	size_t at = 0, count = 0;

	for (size_t i = 0; i < WORDS; i++)
		put(bytes + 8 * i, row->words[i]);
	struct cairn_bytes block = unit_exact((struct cairn_bytes){ bytes, row->size });
	while (swift_next_value(block, &at, &value))
		if (count++ == 0)
			first = value;
	ck_assert_msg(count == row->count, "%s: %zu values", row->name, count);
	if (count == 0)
		return;
	ck_assert_msg(first.offset == row->offset, "%s: at %zu", row->name, first.offset);
	ck_assert_str_eq(first.architecture, row->architecture);
	ck_assert_uint_eq(first.array, row->array);
	ck_assert_uint_eq(first.images, row->images);
}
END_TEST

static const struct {
	const char *name;
	uint64_t words[4]; /* isa, references, count, capacity and flag */
	bool sound;
} array_rows[] = {
	{ "full", { 0x1000, 3, 23, 46 }, true },
	{ "with the flag", { 0x1000, 3, 23, 47 }, true },
	{ "room to spare", { 0x1000, 3, 1, 96 }, true },
	{ "empty", { 0x1000, 3, 0, 46 }, false },
	{ "more than its room", { 0x1000, 3, 24, 47 }, false },
	{ "no class", { 0, 3, 23, 46 }, false },
	{ "odd class", { 0x1001, 3, 23, 46 }, false },
};

START_TEST(reads_arrays)
{
	uint8_t header[SWIFT_ARRAY_HEADER];
	struct swift_array array;
	size_t at = 0, offset = 1;

	for (size_t i = 0; i < 4; i++)
		put(header + 8 * i, array_rows[_i].words[i]);
	bool sound = swift_array(header, &array);
	ck_assert_msg(sound == array_rows[_i].sound, "%s", array_rows[_i].name);
	if (sound) {
		ck_assert_uint_eq(array.isa, array_rows[_i].words[0]);
		ck_assert_uint_eq(array.count, array_rows[_i].words[2]);
		ck_assert_uint_eq(array.capacity, array_rows[_i].words[3] / 2);
	}
	struct cairn_bytes block = { header, sizeof(header) };
	ck_assert_int_eq(swift_next_array(block, 0x1000, &at, &offset), sound);
	ck_assert_uint_eq(offset, sound ? 0 : 1);
	at = 0;
	ck_assert(!swift_next_array(block, 0x2000, &at, &offset));
	block.size--;
	at = 0;
	ck_assert(!swift_next_array(block, 0x1000, &at, &offset));
}
END_TEST

static const struct {
	const char *name;
	uint64_t words[2];
	bool there;
	uint64_t size, address;
	const char *text;
} string_rows[] = {
	{ "nil", { 0, 0 }, false, 0, 0, NULL },
	{ "empty", { 0, 0xe000000000000000 }, true, 0, 0, "" },
	{ "small", { X86_64 }, true, 6, 0, "x86_64" },
	{ "fifteen", { 0x6867666564636261, 0xef6f6e6d6c6b6a69 }, true, 15, 0, "abcdefghijklmno" },
	{ "not ASCII", { 0xa4c3, 0xa200000000000000 }, true, 2, 0, "\303\244" },
	{ "large", { 0xf000000000000021, 0x0000558a5def0000 }, true, 0x21, 0x558a5def0020, NULL },
	{ "literal", { 0xd000000000000012, 0x8000558a4ad60000 }, true, 0x12, 0x558a4ad60020, NULL },
	{ "no object", { 0xf000000000000021, 0 }, false, 0, 0, NULL },
	{ "neither", { 0x0000558a4ad60000, 0x0000558a4ad60000 }, false, 0, 0, NULL },
};

START_TEST(reads_strings)
{
	uint8_t words[SWIFT_STRING_SIZE];
	struct swift_string string;

	put(words, string_rows[_i].words[0]);
	put(words + 8, string_rows[_i].words[1]);
	bool there = swift_string(words, &string);
	ck_assert_msg(there == string_rows[_i].there, "%s", string_rows[_i].name);
	if (!there)
		return;
	ck_assert_uint_eq(string.size, string_rows[_i].size);
	ck_assert_uint_eq(string.address, string_rows[_i].address);
	if (string_rows[_i].text)
		ck_assert_int_eq(memcmp(string.inlined, string_rows[_i].text, string.size), 0);
}
END_TEST

START_TEST(reads_images)
{
	static const uint64_t words[] = { 0, 0, X86_64, 0x3000, 0x4000, 0x5000, 0, 0 };
	uint8_t element[SWIFT_IMAGE_SIZE];
	struct swift_image image;

	for (size_t i = 0; i < sizeof(element) / 8; i++)
		put(element + 8 * i, words[i]);
	swift_image(element, &image);
	ck_assert(image.has_path);
	ck_assert_uint_eq(image.path.size, 6);
	ck_assert_uint_eq(image.build_id, 0x3000);
	ck_assert_uint_eq(image.base, 0x4000);
	ck_assert_uint_eq(image.end, 0x5000);
	put(element + 24, 0);
	put(element + 16, 0);
	swift_image(element, &image);
	ck_assert(!image.has_path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swift");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, scans_values, 0, COUNT(value_rows));
	tcase_add_loop_test(tc, reads_arrays, 0, COUNT(array_rows));
	tcase_add_loop_test(tc, reads_strings, 0, COUNT(string_rows));
	tcase_add_test(tc, reads_images);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
