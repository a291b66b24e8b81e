/* SPDX-License-Identifier: MIT */
/* Tests the cache of texts: what it remembers, what it drops, and that it stays within its bound. */
#include "base/table.h"
#include "unit.h"

#include <stdio.h>

enum { MANY = 20000 };

static struct text_cache cache;

static struct cairn_bytes bytes_of(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

static bool knows(const char *text, const char *made, uint64_t cost)
{
	const struct text_cache_entry *entry = text_cache_find(&cache, bytes_of(text));

	if (!entry || entry->cost != cost)
		return false;
	const struct cairn_bytes found = text_cache_made(entry);
	return found.size == strlen(made) && memcmp(found.data, made, found.size) == 0;
}

START_TEST(remembers)
{
	ck_assert_ptr_null(text_cache_find(&cache, bytes_of("_Z1fv")));
	text_cache_keep(&cache, bytes_of("_Z1fv"), bytes_of("f()"), 7);
	text_cache_keep(&cache, bytes_of("main"), bytes_of(""), 1);
	text_cache_keep(&cache, bytes_of(""), bytes_of(""), 2);
	ck_assert(knows("_Z1fv", "f()", 7));
	ck_assert(knows("main", "", 1));
	ck_assert(knows("", "", 2));
	ck_assert_ptr_null(text_cache_find(&cache, bytes_of("_Z1f")));
	text_cache_finish(&cache);
	ck_assert_uint_eq(cache.held, 0);
	ck_assert_ptr_null(text_cache_find(&cache, bytes_of("_Z1fv")));
}
END_TEST

START_TEST(replaces_its_own)
{
	text_cache_keep(&cache, bytes_of("a"), bytes_of("first"), 1);
	const size_t held = cache.held;
	text_cache_keep(&cache, bytes_of("a"), bytes_of("other"), 2);
	ck_assert(knows("a", "other", 2));
	ck_assert_uint_eq(cache.held, held);
	text_cache_finish(&cache);
}
END_TEST

START_TEST(leaves_out_what_is_large)
{
	static uint8_t large[TEXT_CACHE_ENTRY + 1];

	for (size_t size = TEXT_CACHE_ENTRY - 1; size <= TEXT_CACHE_ENTRY + 1; size++) {
		const struct cairn_bytes text = { large, size };
		text_cache_keep(&cache, text, bytes_of("x"), 0);
		ck_assert_int_eq(text_cache_find(&cache, text) != NULL, size < TEXT_CACHE_ENTRY);
	}
	text_cache_finish(&cache);
}
END_TEST

/* All answers are right, most of few texts are known, and no more is held than may be. */
START_TEST(is_bounded)
{
	char text[300], made[16];
	size_t known = 0;

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "%0250u", i % 5000);
		snprintf(made, sizeof(made), "%u", i % 5000);
		if (text_cache_find(&cache, bytes_of(text)))
			ck_assert(knows(text, made, i % 5000));
		text_cache_keep(&cache, bytes_of(text), bytes_of(made), i % 5000);
		ck_assert(knows(text, made, i % 5000));
		ck_assert_uint_le(cache.held, TEXT_CACHE_MAX);
	}
	text_cache_finish(&cache);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "%u", i % 100);
		known += text_cache_find(&cache, bytes_of(text)) != NULL;
		text_cache_keep(&cache, bytes_of(text), bytes_of("made"), 0);
	}
	ck_assert_uint_gt(known, MANY * 8 / 10);
	text_cache_finish(&cache);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("text_cache");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, remembers);
	tcase_add_test(tc, replaces_its_own);
	tcase_add_test(tc, leaves_out_what_is_large);
	tcase_add_test(tc, is_bounded);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
