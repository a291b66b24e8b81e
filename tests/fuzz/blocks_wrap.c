/* SPDX-License-Identifier: MIT */
/* The wrappers of malloc(), calloc() and free() for targets that do not include held.h, which has others. */
#include "blocks.h"

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size)
{
	return blocks_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return blocks_calloc(count, size);
}

void __wrap_free(void *memory)
{
	blocks_free(memory);
}
