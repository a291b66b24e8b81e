/* SPDX-License-Identifier: MIT */
/*
 * Memory helpers: growing arrays, string copies, memory for tables, and cleanup when the host
 * leaves a callback by an exception.
 */
#ifndef CAIRN_BASE_MEMORY_H
#define CAIRN_BASE_MEMORY_H

#include "invariant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Growing arrays. The owner stores a pointer, a capacity and a count:
 *
 *	if (!ARRAY_APPEND(list->item, list->count, list->room, item))
 *		return CAIRN_NO_MEMORY;
 *	if (!array_grow(&list->item, &list->room, list->count + more, sizeof(*list->item)))
 *		return CAIRN_NO_MEMORY;
 *
 * Do not use these functions for arrays with a size limit or for parallel arrays that grow
 * together.
 */

enum { ARRAY_GROW_FIRST = 64 };

/*
 * Return a capacity of at least `need` items. It starts with `first`, which is at least 2, and
 * grows geometrically.
 */
static inline size_t array_grow_capacity(size_t capacity, size_t need, size_t first)
{
	size_t larger = capacity ? capacity : first;

	while (larger < need)
		larger += larger / 2;
	return larger;
}

/*
 * Ensure capacity for `need` items. `array` is the address of a pointer to items of `size` bytes,
 * initially NULL. `first` is the initial capacity, which should suit the usual size. If allocation
 * fails, return false and leave the array unchanged.
 */
static inline bool array_grow_from(void *array, size_t *capacity, size_t need, size_t size,
                                   size_t first)
{
	void *held;

	INVARIANT(first >= 2); /* a capacity of 1 would never grow */
	if (need <= *capacity)
		return true;
	if (need > SIZE_MAX / 2 / size)
		return false;
	size_t larger = array_grow_capacity(*capacity, need, first);
	if (larger > SIZE_MAX / size)
		return false;
	/* use memcpy(), because `array` points to a pointer of unknown type */
	memcpy(&held, array, sizeof(held));
	void *grown = realloc(held, larger * size);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*capacity = larger;
	return true;
}

static inline bool array_grow(void *array, size_t *capacity, size_t need, size_t size)
{
	return array_grow_from(array, capacity, need, size, ARRAY_GROW_FIRST);
}

/*
 * Append an item, the last argument. If allocation fails, return false without evaluating the
 * argument.
 */
#define ARRAY_APPEND(array, count, capacity, ...)                                    \
	(array_grow(&(array), &(capacity), (size_t)(count) + 1, sizeof(*(array))) && \
	 ((array)[(count)++] = (__VA_ARGS__), true))

/*
 * Copies a string. The caller frees the copy, which is NULL if allocation fails. strdup() would
 * call malloc() inside the C library, where the tests, which replace malloc() with the linker
 * option --wrap, neither count the call nor make it fail.
 */

static inline char *copy_text(const char *text)
{
	const size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

/*
 * Allocates memory for tables that are searched before they are filled. If a page is read before it
 * is written, the kernel maps the shared zero page, and the first write later causes a second page
 * fault and a TLB shootdown on all other processors that run the process. With two threads, this
 * took 6 % of the time in which a program's functions are read. Do not use this for tables that may
 * remain largely empty.
 */

enum { TABLE_MEMORY_STEP = 4096 }; /* smallest page size in use, in bytes */

/*
 * Return zeroed memory for `count` items of `size` bytes, or NULL if allocation fails. Every page
 * has been written to. The caller frees the memory with free().
 */
static inline void *table_memory_new(size_t count, size_t size)
{
	volatile uint8_t *memory = calloc(count, size);

	for (size_t at = 0; memory && at < count * size; at += TABLE_MEMORY_STEP)
		memory[at] = 0;
	return (void *)memory;
}

/*
 * Prefetch the memory `after` bytes past `at`. The address need not be valid, because a prefetch
 * never faults.
 */
static inline void memory_soon(const void *at, uint64_t after)
{
#ifdef __GNUC__
	__builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)after));
#else
	(void)at;
	(void)after;
#endif
}

/*
 * Cleans up a local variable on every exit from a function that calls back into the host, including
 * an exception that the host throws through it.
 *
 *	WITH_CLEANUP(finish_work) struct work work = { 0 };
 *
 * finish_work() receives the address of `work`. The whole engine is compiled with -fexceptions.
 */

#define WITH_CLEANUP(finish) __attribute__((cleanup(finish)))

#endif
