/* SPDX-License-Identifier: MIT */
/*
 * Memory that runs out: the program is linked with --wrap for the four functions below.  Between
 * scarce_begin() and scarce_end() the nth request fails, and blocks are counted.
 *
 *	for (size_t n = 1; ; n++) {
 *		scarce_begin(n);
 *		... must end with NO_MEMORY, or well when nothing failed
 *		if (!scarce_end())
 *			break;
 *	}
 */
#ifndef CAIRN_TESTS_SCARCE_H
#define CAIRN_TESTS_SCARCE_H

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

static bool scarce_refuses(void)
{
	return scarce.armed && ++scarce.requests == scarce.fail_at;
}

static void *scarce_give(void *block)
{
	if (scarce.armed && block)
		scarce.blocks++;
	return block;
}

void *__wrap_malloc(size_t size)
{
	return scarce_refuses() ? NULL : scarce_give(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return scarce_refuses() ? NULL : scarce_give(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
	if (scarce_refuses())
		return NULL;
	void *grown = __real_realloc(block, size);
	return block ? grown : scarce_give(grown);
}

void __wrap_free(void *block)
{
	if (scarce.armed && block)
		scarce.blocks--;
	__real_free(block);
}

static inline void scarce_begin(size_t fail_at)
{
	scarce.requests = 0;
	scarce.fail_at = fail_at;
	scarce.blocks = 0;
	scarce.armed = true;
}

/* Did a request fail?  All that was taken must be back. */
static inline bool scarce_end(void)
{
	scarce.armed = false;
	ck_assert_int_eq(scarce.blocks, 0);
	return scarce.requests >= scarce.fail_at;
}

#endif
