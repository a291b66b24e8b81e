/* SPDX-License-Identifier: MIT */
/*
 * Memory for tables that are searched before they are filled.  The kernel shows one page of zeros wherever memory was only
 * read so far.  The first write there is a second fault, and stops all other processors of the process until they have
 * forgotten the page: with two threads that took 6 % of the time in which functions are read. Tables that may stay empty in large
 * parts note instead which of them were written.
 */
#ifndef CAIRN_BASE_TABLE_TABLE_MEMORY_H
#define CAIRN_BASE_TABLE_TABLE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { TABLE_MEMORY_STEP = 4096 }; /* bytes: the smallest page of the machines that there are */

/* Zeroed memory for `count` items of `size` bytes, each page of which was written; NULL: memory is short.  free() it. */
static inline void *table_memory_new(size_t count, size_t size)
{
	volatile uint8_t *memory = calloc(count, size);

	for (size_t at = 0; memory && at < count * size; at += TABLE_MEMORY_STEP)
		memory[at] = 0;
	return (void *)memory;
}

#endif
