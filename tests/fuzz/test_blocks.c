/* SPDX-License-Identifier: MIT */
/*
 * Tests the allocator of fuzz targets that keeps large blocks: which it keeps, what is in them, and that a use of a kept
 * block is seen.
 */
#include "blocks.h"

#include "unit/unit.h"

#include <sanitizer/asan_interface.h>
#include <signal.h>

/* Does the sanitizer's allocator hold this block? gcc has no header that declares it. */
int __sanitizer_get_ownership(const volatile void *block);

enum {
	KEPT = 16,
	LEAST = 126 << 10,
	FILLED = 4096,
	REPORTED = 1, /* exit status of a program with a report of the sanitizer */
};

/* Below and above the size from which pages are given back, and with ends inside of a page. */
static const size_t sizes[] = { LEAST,         LEAST + 1,        (256 << 10) - 1,
	                        256 << 10,     (256 << 10) + 1,  (512 << 10) + 4095,
	                        (1 << 20) + 7, (4 << 20) + 4096, (9 << 20) + 1 };

/* Behind a block of the smallest size the sanitizer leaves no room. */
static void check_end(const uint8_t *block, size_t size)
{
	ck_assert(size == LEAST || __asan_address_is_poisoned(block + size));
}

static bool is_all(const uint8_t *block, size_t size, uint8_t byte)
{
	for (size_t i = 0; i < size; i++)
		if (block[i] != byte)
			return false;
	return true;
}

static void *make_block(size_t size)
{
	uint8_t *block = blocks_malloc(size);

	ck_assert_ptr_nonnull(block);
	memset(block, 0x5a, size);
	return block;
}

START_TEST(keeps_a_large_block)
{
	const size_t size = sizes[_i];
	uint8_t *block = make_block(size);

	blocks_free(block);
	ck_assert(__sanitizer_get_ownership(block));
	uint8_t *other = blocks_malloc(size + 64);
	ck_assert_ptr_ne(other, block);
	uint8_t *again = blocks_malloc(size);
	ck_assert_ptr_eq(again, block);
	ck_assert(is_all(again, FILLED, 0xbe));
	ck_assert_ptr_null(__asan_region_is_poisoned(again, size));
	check_end(again, size);
	blocks_free(other);
	blocks_free(again);
}
END_TEST

START_TEST(frees_a_small_block)
{
	uint8_t *block = make_block(LEAST - 1);

	blocks_free(block);
	ck_assert(!__sanitizer_get_ownership(block));
	blocks_free(NULL);
}
END_TEST

START_TEST(clears_a_kept_block)
{
	const size_t size = sizes[_i];
	uint8_t *block = make_block(size);

	blocks_free(block);
	uint8_t *again = blocks_calloc(1, size);
	ck_assert_ptr_eq(again, block);
	ck_assert(is_all(again, size, 0));
	check_end(again, size);
	blocks_free(again);
	again = blocks_calloc(size, 1);
	ck_assert_ptr_eq(again, block);
	blocks_free(again);
}
END_TEST

START_TEST(clears_a_new_block)
{
	uint8_t *block = blocks_calloc(3, sizes[_i]), *nothing = blocks_calloc(3, 0);

	ck_assert(is_all(block, 3 * sizes[_i], 0));
	blocks_free(block);
	blocks_free(nothing);
}
END_TEST

START_TEST(poisons_a_kept_block)
{
	uint8_t *block = make_block(sizes[_i]);

	blocks_free(block);
	for (size_t at = 0; at < sizes[_i]; at += 8)
		ck_assert(__asan_address_is_poisoned(block + at));
	ck_assert(__asan_address_is_poisoned(block + sizes[_i] - 1));
}
END_TEST

START_TEST(reports_a_use_after_the_end)
{
	const size_t size = sizes[(size_t)_i / 3];
	const size_t places[] = { 0, size / 2, size - 1 };
	volatile uint8_t *block = make_block(size);

	blocks_free((void *)block);
	(void)block[places[_i % 3]];
}
END_TEST

START_TEST(ends_where_a_block_is_freed_twice)
{
	void *block = make_block(LEAST);

	blocks_free(block);
	blocks_free(block);
}
END_TEST

/* Blocks of sizes of their own, all freed. */
static void keep_blocks(void **block, size_t count)
{
	for (size_t i = 0; i < count; i++)
		block[i] = make_block(LEAST + 8 * i);
	for (size_t i = 0; i < count; i++)
		blocks_free(block[i]);
}

START_TEST(frees_the_oldest)
{
	void *block[KEPT + 3];

	keep_blocks(block, KEPT + 3);
	for (size_t i = 0; i < KEPT + 3; i++)
		ck_assert_msg(!__sanitizer_get_ownership(block[i]) == (i < 3), "%zu", i);
}
END_TEST

/* A block that comes and goes takes the place that it left. */
START_TEST(keeps_the_others)
{
	void *block[KEPT];

	keep_blocks(block, KEPT);
	for (size_t times = 0; times < 3 * (size_t)KEPT; times++) {
		ck_assert_ptr_eq(blocks_malloc(LEAST + 40), block[5]);
		blocks_free(block[5]);
	}
	for (size_t i = 0; i < KEPT; i++)
		ck_assert_ptr_eq(blocks_malloc(LEAST + 8 * i), block[i]);
	for (size_t i = 0; i < KEPT; i++)
		blocks_free(block[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("blocks");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, keeps_a_large_block, 0, COUNT(sizes));
	tcase_add_test(tc, frees_a_small_block);
	tcase_add_loop_test(tc, clears_a_kept_block, 0, COUNT(sizes));
	tcase_add_loop_test(tc, clears_a_new_block, 0, COUNT(sizes));
	tcase_add_loop_test(tc, poisons_a_kept_block, 0, COUNT(sizes));
	tcase_add_loop_exit_test(tc, reports_a_use_after_the_end, REPORTED, 0, 3 * COUNT(sizes));
	tcase_add_test_raise_signal(tc, ends_where_a_block_is_freed_twice, SIGABRT);
	tcase_add_test(tc, frees_the_oldest);
	tcase_add_test(tc, keeps_the_others);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
