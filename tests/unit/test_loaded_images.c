/* SPDX-License-Identifier: MIT */
/* Tests the list of loaded images: its lookup, its limits and lack of memory. */
#include "failing_alloc.h"
#include "traces/loaded_images.h"
#include "unit.h"

/* 300 to 380, 100 to 200, 200 to 280. */
static const struct cairn_bytes map = BYTES("\2\2ab\3"
                                            "\11\3\0\0\200\1\1\2/c\0"
                                            "\11\1\0\1\0\1\7\1a\0"
                                            "\11\2\0\0\200\0\0");

static bool is(struct cairn_bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

START_TEST(reads)
{
	struct loaded_images images;
	struct loaded_images_end end;

	loaded_images_init(&images);
	ck_assert_int_eq(loaded_images_read(&images, unit_exact(map), &end), CAIRN_OK);
	ck_assert_int_eq(end.outcome, IMAGEMAP_OK);
	ck_assert_uint_eq(end.at, map.size);
	ck_assert_uint_eq(end.word, 8);
	ck_assert_uint_eq(end.warnings, 0);
	ck_assert(images.has_platform && is(images.platform, "ab"));
	ck_assert_uint_eq(images.count, 3);
	ck_assert_uint_eq(images.item[0].image.base, 0x300);
	ck_assert(is(images.item[0].image.path, "/c"));
	ck_assert(is(images.item[0].image.build_id, "\1"));
	ck_assert(is(images.item[1].image.path, "a"));
	ck_assert(is(images.item[1].image.build_id, "\7"));
	ck_assert_uint_eq(images.item[2].image.path.size, 0);
	loaded_images_finish(&images);
	ck_assert_uint_eq(images.count, 0);
}
END_TEST

START_TEST(keeps_what_was_read)
{
	struct cairn_bytes cut = { map.data, map.size - 1 };
	struct loaded_images images;
	struct loaded_images_end end;

	loaded_images_init(&images);
	ck_assert_int_eq(loaded_images_read(&images, unit_exact(cut), &end), CAIRN_OK);
	ck_assert_int_eq(end.outcome, IMAGEMAP_SHORT);
	ck_assert_int_eq(end.fault.status, CAIRN_TRUNCATED);
	ck_assert_uint_eq(end.fault.offset, 26);
	ck_assert_uint_eq(images.count, 3);
	loaded_images_finish(&images);
}
END_TEST

START_TEST(finds)
{
	static const struct {
		uint64_t address, base; /* base 0: nothing */
	} rows[] = {
		{ 0, 0 },         { 0xff, 0 },      { 0x100, 0x100 }, { 0x1ff, 0x100 },
		{ 0x200, 0x200 }, { 0x27f, 0x200 }, { 0x280, 0 },     { 0x2ff, 0 },
		{ 0x300, 0x300 }, { 0x37f, 0x300 }, { 0x380, 0 },     { UINT64_MAX, 0 },
	};
	struct loaded_images images;
	struct loaded_images_end end;

	loaded_images_init(&images);
	loaded_images_sort(&images);
	ck_assert_ptr_null(loaded_images_find(&images, 0x100));
	ck_assert_int_eq(loaded_images_read(&images, map, &end), CAIRN_OK);
	loaded_images_sort(&images);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct loaded_image *item = loaded_images_find(&images, rows[i].address);
		ck_assert_uint_eq(item ? item->image.base : 0, rows[i].base);
	}
	loaded_images_finish(&images);
}
END_TEST

START_TEST(bounds_their_number)
{
	struct imagemap_image image = { 1, 2, BYTES(""), BYTES("") };
	struct loaded_images images;

	loaded_images_init(&images);
	for (size_t i = 0; i < LOADED_IMAGES_MAX; i++)
		ck_assert_int_eq(loaded_images_add(&images, &image), CAIRN_OK);
	ck_assert_int_eq(loaded_images_add(&images, &image), CAIRN_UNSUPPORTED);
	ck_assert_uint_eq(images.count, LOADED_IMAGES_MAX);
	loaded_images_finish(&images);
}
END_TEST

START_TEST(bounds_their_text)
{
	struct imagemap_image image = { 1, 2, BYTES(""), { NULL, 1 << 20 } };
	uint8_t *text = calloc(1, image.path.size);
	struct loaded_images images;

	ck_assert_ptr_nonnull(text);
	image.path.data = text;
	loaded_images_init(&images);
	for (size_t i = 0; i < LOADED_IMAGES_TEXT_MAX >> 20; i++)
		ck_assert_int_eq(loaded_images_add(&images, &image), CAIRN_OK);
	image.path.size = 1;
	ck_assert_int_eq(loaded_images_add(&images, &image), CAIRN_UNSUPPORTED);
	image.path.size = 0;
	ck_assert_int_eq(loaded_images_add(&images, &image), CAIRN_OK);
	loaded_images_finish(&images);
	free(text);
}
END_TEST

START_TEST(runs_out_of_memory)
{
	struct loaded_images images;
	struct loaded_images_end end;
	bool failed = true;
	size_t tries = 0;

	while (failed) {
		failing_alloc_begin(++tries);
		loaded_images_init(&images);
		enum cairn_status status = loaded_images_read(&images, map, &end);
		loaded_images_finish(&images);
		failed = failing_alloc_end();
		ck_assert_int_eq(status, failed ? CAIRN_NO_MEMORY : CAIRN_OK);
	}
	ck_assert_uint_gt(tries, 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("images");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, reads);
	tcase_add_test(tc, keeps_what_was_read);
	tcase_add_test(tc, finds);
	tcase_add_test(tc, bounds_their_number);
	tcase_add_test(tc, bounds_their_text);
	tcase_add_test(tc, runs_out_of_memory);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
