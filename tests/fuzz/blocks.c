/* SPDX-License-Identifier: MIT */
/* Keeps large blocks that were freed, see blocks.h. Linked with -Wl,--wrap of malloc, calloc and free. */
#include "blocks.h"
#include "fuzz.h"

#include <malloc.h>
#include <sanitizer/asan_interface.h>
#include <string.h>
#include <sys/mman.h>

enum {
	KEPT = 16,
	LEAST = 126 << 10,      /* bytes of a block that the sanitizer maps */
	ZEROED_MAX = 256 << 10, /* bytes that are set to zero; of more the pages are given back */
	PAGE = 4096,
	FILLED = 4096, /* bytes that the sanitizer fills of a new block */
	FILL = 0xbe,   /* and with what */
};

static void *kept[KEPT];
static size_t kept_size[KEPT];
static unsigned next_place;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void __real_free(void *memory);

/* A kept block of just this size, which is no longer kept; or NULL. */
static void *take_block(size_t size)
{
	if (size < LEAST)
		return NULL;
	for (unsigned i = 0; i < KEPT; i++) {
		void *block = kept[i];
		if (!block || kept_size[i] != size)
			continue;
		kept[i] = NULL;
		__asan_unpoison_memory_region(block, size);
		return block;
	}
	return NULL;
}

void *blocks_malloc(size_t size)
{
	void *block = take_block(size);

	return block ? memset(block, FILL, FILLED) : __real_malloc(size);
}

/* What was written of a large block is little, mostly: its pages are zero when they are next touched. */
static void *clear_block(char *block, size_t size)
{
	const size_t before = -(uintptr_t)block % PAGE;

	if (size <= ZEROED_MAX)
		return memset(block, 0, size);
	const size_t pages = (size - before) / PAGE * PAGE;
	ALWAYS(madvise(block + before, pages, MADV_DONTNEED) == 0);
	memset(block, 0, before);
	memset(block + before + pages, 0, size - before - pages);
	return block;
}

void *blocks_calloc(size_t count, size_t size)
{
	size_t all = size && count <= SIZE_MAX / size ? count * size : 0;
	void *block = take_block(all);

	return block ? clear_block(block, all) : __real_calloc(count, size);
}

static void release_place(unsigned place)
{
	if (!kept[place])
		return;
	__asan_unpoison_memory_region(kept[place], kept_size[place]);
	__real_free(kept[place]);
	kept[place] = NULL;
}

/* A place without a block, or the one that was not used for the longest time. */
static unsigned find_place(void)
{
	for (unsigned i = 0; i < KEPT; i++)
		if (!kept[i])
			return i;
	const unsigned place = next_place;
	next_place = (next_place + 1) % KEPT;
	return place;
}

void blocks_free(void *memory)
{
	if (!memory)
		return;
	for (unsigned i = 0; i < KEPT; i++)
		ALWAYS(kept[i] != memory); /* freed twice */
	size_t size = malloc_usable_size(memory);
	if (size < LEAST) {
		__real_free(memory);
		return;
	}
	const unsigned place = find_place();
	release_place(place);
	kept[place] = memory;
	kept_size[place] = size;
	__asan_poison_memory_region(memory, size);
}
