/* SPDX-License-Identifier: MIT */
/*
 * A counting allocator for targets that go from one format to another: how much memory is held at a time, which
 * docs/SECURITY.md bounds. For one source file of a program that is linked with -Wl,--wrap of the five functions.
 *
 *	held_begin();
 *	...
 *	held_end(size, HELD_PLAIN);
 *
 * What a shared library allocates is not seen.
 */
#ifndef CAIRN_TESTS_FUZZ_HELD_H
#define CAIRN_TESTS_FUZZ_HELD_H

#include "fuzz.h"

#include <malloc.h>

#ifdef FUZZ_BLOCKS
#include "blocks.h"
#else
#define blocks_malloc __real_malloc
#define blocks_calloc __real_calloc
#define blocks_free __real_free
#endif

enum {
	HELD_BASE = 32 << 20, /* bytes; the program and its libraries take the rest of 64 MiB */
	HELD_PLAIN = 10,      /* times the input */
	HELD_PACKED = 60,     /* where sections may be compressed */
};

/* Signed: what a library allocated may be freed here. */
static ptrdiff_t held_now, held_most, held_before;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static void *held_count(void *memory)
{
	held_now += (ptrdiff_t)malloc_usable_size(memory);
	held_most = held_now > held_most ? held_now : held_most;
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return held_count(blocks_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return held_count(blocks_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return held_count(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	const ptrdiff_t before = (ptrdiff_t)malloc_usable_size(old);
	void *memory = __real_realloc(old, size);

	if (memory)
		held_now -= before;
	return memory ? held_count(memory) : NULL;
}

void __wrap_free(void *memory)
{
	if (!memory) /* for which the sanitizer would keep a stack of calls */
		return;
	held_now -= (ptrdiff_t)malloc_usable_size(memory);
	blocks_free(memory);
}

static inline void held_begin(void)
{
	held_most = held_before = held_now;
}

/* Was it within the bound for an input of `size` bytes? */
static inline void held_check(size_t size, size_t times)
{
	ALWAYS(held_most - held_before <= (ptrdiff_t)(HELD_BASE + (uint64_t)times * size));
}

/* The same, and nothing is left. */
static inline void held_end(size_t size, size_t times)
{
	ALWAYS(held_now == held_before);
	held_check(size, times);
}

#endif
