/* SPDX-License-Identifier: MIT */
/*
 * A counting allocator for targets that go from one format to another: how much memory is held at a time, which
 * docs/SECURITY.md bounds. held.c counts, in a program that is linked with -Wl,--wrap of the five functions.
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

#include <stddef.h>

enum {
	HELD_BASE = 32 << 20, /* bytes; the program and its libraries take the rest of 64 MiB */
	HELD_PLAIN = 10,      /* times the input */
	HELD_PACKED = 60,     /* where sections may be compressed */
};

/* Memory that is not counted. */
void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);

/* Signed: what a library allocated may be freed here. */
extern ptrdiff_t held_now, held_most, held_before;

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
