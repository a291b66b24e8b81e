/* SPDX-License-Identifier: MIT */
/*
 * Memory that runs out: the program is linked with --wrap for the four functions below.  Between
 * failing_alloc_begin() and failing_alloc_end() the nth request fails, and blocks are counted.
 *
 *	for (size_t n = 1; ; n++) {
 *		failing_alloc_begin(n);
 *		... must end with NO_MEMORY, or well when nothing failed
 *		if (!failing_alloc_end())
 *			break;
 *	}
 */
#ifndef CAIRN_TESTS_UNIT_FAILING_ALLOC_H
#define CAIRN_TESTS_UNIT_FAILING_ALLOC_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static struct {
	bool armed;
	size_t requests, fail_at;
	long blocks; /* given out and not given back */
} scarce;

static bool failing_alloc_must_fail(void)
{
	return scarce.armed && ++scarce.requests == scarce.fail_at;
}

static void *failing_alloc_count(void *block)
{
	if (scarce.armed && block)
		scarce.blocks++;
	return block;
}

void *__wrap_malloc(size_t size)
{
	return failing_alloc_must_fail() ? NULL : failing_alloc_count(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return failing_alloc_must_fail() ? NULL : failing_alloc_count(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
	if (failing_alloc_must_fail())
		return NULL;
	void *grown = __real_realloc(block, size);
	return block ? grown : failing_alloc_count(grown);
}

void __wrap_free(void *block)
{
	if (scarce.armed && block)
		scarce.blocks--;
	__real_free(block);
}

static inline void failing_alloc_begin(size_t fail_at)
{
	scarce.requests = 0;
	scarce.fail_at = fail_at;
	scarce.blocks = 0;
	scarce.armed = true;
}

/* Did a request fail?  All that was taken must be back. */
static inline bool failing_alloc_end(void)
{
	scarce.armed = false;
	ck_assert_int_eq(scarce.blocks, 0);
	return scarce.requests >= scarce.fail_at;
}

#endif
