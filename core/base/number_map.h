/* SPDX-License-Identifier: MIT */
/* Arrays that grow, and tables from numbers to numbers. */
#ifndef CAIRN_BASE_NUMBER_MAP_H
#define CAIRN_BASE_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes room for an item of `size` bytes at `index` of *items, which has `*room` items now; false
 * when memory is short.
 */
bool array_grow_to_index(void *items, size_t *room, size_t index, size_t size);

/* From keys, which are not 0, to numbers.  It only grows. */
struct number_map {
	struct number_slot {
		uint64_t key; /* 0: free */
		uint32_t number;
	} * slot;
	uint32_t bits, count;
};

/* The slot of a key.  When it is free, who fills it counts it.  NULL when memory is short. */
struct number_slot *number_map_at(struct number_map *map, uint64_t key);

/* The number of a key; false when it has none. */
bool number_map_find(const struct number_map *map, uint64_t key, uint32_t *number);

#endif
