/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef CAIRN_DEBUGINFO_ROOM_H
#define CAIRN_DEBUGINFO_ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { ROOM_FIRST = 64 };

/* *array with room for `need` items of `size` bytes; false when memory is short, nothing moved. */
static inline bool room_for(void *array, size_t *room, size_t need, size_t size)
{
	void **at = array;
	size_t larger = *room ? *room : ROOM_FIRST;

	if (need <= *room)
		return true;
	while (larger < need)
		larger += larger / 2;
	if (larger > SIZE_MAX / size)
		return false;
	void *grown = realloc(*at, larger * size);
	if (!grown)
		return false;
	*at = grown;
	*room = larger;
	return true;
}

#endif
