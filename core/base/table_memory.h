/* SPDX-License-Identifier: MIT */
/*
 * Allocates memory for tables that are searched before they are filled. As long as memory was only
 * read, the kernel maps the shared zero page. The first write causes a second fault and a TLB
 * shootdown on all other processors that run the process: with two threads this took 6 % of the
 * time for reading functions. Tables that may remain largely empty record the written parts
 * instead.
 */
#ifndef CAIRN_BASE_TABLE_MEMORY_H
#define CAIRN_BASE_TABLE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { TABLE_MEMORY_STEP = 4096 }; /* smallest page size in use, in bytes */

/*
 * Return zeroed memory for `count` items of `size` bytes with every page already written, or NULL
 * if memory is short. Caller frees it with free().
 */
static inline void *table_memory_new(size_t count, size_t size)
{
	volatile uint8_t *memory = calloc(count, size);

	for (size_t at = 0; memory && at < count * size; at += TABLE_MEMORY_STEP)
		memory[at] = 0;
	return (void *)memory;
}

#endif
