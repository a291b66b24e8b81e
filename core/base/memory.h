/* SPDX-License-Identifier: MIT */
/*
 * Memory: growing arrays, copies of strings, tables, and release when the host leaves by an
 * exception.
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
 * Growing arrays. The owner keeps a pointer, a capacity and a count:
 *
 *	if (!ARRAY_APPEND(list->item, list->count, list->room, item))
 *		return CAIRN_NO_MEMORY;
 *	if (!array_grow(&list->item, &list->room, list->count + more, sizeof(*list->item)))
 *		return CAIRN_NO_MEMORY;
 *
 * Not for arrays that have a limit of their own or grow together with another one.
 */

enum { ARRAY_GROW_FIRST = 64 };

/* Return a capacity for `need` items. An empty array starts with `first`, which is at least 2. */
static inline size_t array_grow_capacity(size_t room, size_t need, size_t first)
{
	size_t larger = room ? room : first;

	while (larger < need)
		larger += larger / 2;
	return larger;
}

/*
 * Ensure capacity for `need` items. `array` is the address of a pointer to items of `size` bytes,
 * initially NULL. The first allocation holds `first` items, for arrays that are usually small or
 * large. Return false if memory is short; the array is then unchanged.
 */
static inline bool array_grow_from(void *array, size_t *room, size_t need, size_t size,
                                   size_t first)
{
	void *held;

	INVARIANT(first >= 2); /* a capacity of 1 would never grow, because 1 / 2 is 0 */
	if (need <= *room)
		return true;
	if (need > SIZE_MAX / 2 / size)
		return false;
	size_t larger = array_grow_capacity(*room, need, first);
	if (larger > SIZE_MAX / size)
		return false;
	memcpy(&held, array, sizeof(held)); /* `array` points to a pointer of unknown type */
	void *grown = realloc(held, larger * size);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*room = larger;
	return true;
}

static inline bool array_grow(void *array, size_t *room, size_t need, size_t size)
{
	return array_grow_from(array, room, need, size, ARRAY_GROW_FIRST);
}

/* Append the last argument. Return false if memory is short, without evaluating that argument. */
#define ARRAY_APPEND(array, count, room, ...)                                    \
	(array_grow(&(array), &(room), (size_t)(count) + 1, sizeof(*(array))) && \
	 ((array)[(count)++] = (__VA_ARGS__), true))

/*
 * Copies a string with this program's malloc(). Unlike strdup() in the C library, it is visible to
 * allocators that count.
 */

/* Return a copy that the caller frees, or NULL if memory is short. */
static inline char *copy_text(const char *text)
{
	const size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

/*
 * Allocates memory for tables that are searched before they are filled. As long as memory was only
 * read, the kernel maps the shared zero page. The first write causes a second fault and a TLB
 * shootdown on all other processors that run the process: with two threads this took 6 % of the
 * time for reading functions. Tables that may remain largely empty record the written parts
 * instead.
 */

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

/*
 * Prefetch the memory `after` bytes past `at`. The address need not be valid because nothing is
 * read.
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
 * Frees memory of a function that calls back into the host. The host may leave by an exception;
 * marked memory is freed then as well as on normal exit.
 *
 *	WITH_CLEANUP(finish_work) struct work work = { 0 };
 *
 * finish_work() receives the address of `work`. The whole engine is compiled with -fexceptions.
 */

#define WITH_CLEANUP(finish) __attribute__((cleanup(finish)))

#endif
