/* SPDX-License-Identifier: MIT */
/* Allocates the memory of an image, for which the kernel is asked for large pages: it is filled as a whole. */
#define _DEFAULT_SOURCE /* madvise() */
#include "image_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20, LARGE_LEAST = 2 * LARGE_PAGE };

void *image_memory_new(size_t size)
{
	void *memory = NULL;

	if (size < LARGE_LEAST)
		return malloc(size);
	if (posix_memalign(&memory, LARGE_PAGE, size) != 0)
		return NULL;
#ifdef MADV_HUGEPAGE
	/* of whole ones: the last would take memory that nothing fills */
	(void)madvise(memory, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
	return memory;
}
