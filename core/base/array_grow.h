/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow.  Who has one keeps a pointer, what it has room for, and a count:
 *
 *	if (!ARRAY_APPEND(list->item, list->count, list->room, item))
 *		return CAIRN_NO_MEMORY;
 *	if (!array_grow(&list->item, &list->room, list->count + more, sizeof(*list->item)))
 *		return CAIRN_NO_MEMORY;
 *
 * It is not for what has a bound of its own, or grows with something else.
 */
#ifndef CAIRN_BASE_ARRAY_GROW_H
#define CAIRN_BASE_ARRAY_GROW_H

#include "invariant.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_GROW_FIRST = 64 };

/* The capacity that holds `need` items; an empty array starts with `first`, which is at least 2. */
static inline size_t array_grow_capacity(size_t room, size_t need, size_t first)
{
	size_t larger = room ? room : first;

	while (larger < need)
		larger += larger / 2;
	return larger;
}

/*
 * `array` is the address of a pointer to items of `size` bytes, which is NULL at first.  Room for
 * `need` of them, or false when memory is short; then nothing has moved.  The first room is for
 * `first` items, where few or many are usual.
 */
static inline bool array_grow_from(void *array, size_t *room, size_t need, size_t size,
                                   size_t first)
{
	void *held;

	INVARIANT(first >= 2); /* half of one is nothing: it would never grow */
	if (need <= *room)
		return true;
	if (need > SIZE_MAX / 2 / size)
		return false;
	size_t larger = array_grow_capacity(*room, need, first);
	if (larger > SIZE_MAX / size)
		return false;
	memcpy(&held, array, sizeof(held)); /* which has a type of its own */
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

/* One more item, which is the last argument; false when memory is short, and then it was not evaluated. */
#define ARRAY_APPEND(array, count, room, ...)                                    \
	(array_grow(&(array), &(room), (size_t)(count) + 1, sizeof(*(array))) && \
	 ((array)[(count)++] = (__VA_ARGS__), true))

#endif
