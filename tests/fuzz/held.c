/* SPDX-License-Identifier: MIT */
/* Counts the memory of a program; see held.h. */
#undef FUZZ_REPLAY /* this is no target */
#include "held.h"

#include <malloc.h>

#ifdef FUZZ_BLOCKS
#include "blocks.h"
#else
#define blocks_malloc __real_malloc
#define blocks_calloc __real_calloc
#define blocks_free __real_free
#endif

void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

ptrdiff_t held_now, held_most, held_before;

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
