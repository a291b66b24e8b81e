/* SPDX-License-Identifier: MIT */
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
#ifndef CAIRN_BASE_ARRAY_GROW_H
#define CAIRN_BASE_ARRAY_GROW_H

#include "invariant.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

#endif
