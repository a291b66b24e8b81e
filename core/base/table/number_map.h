/* SPDX-License-Identifier: MIT */
/* Tables from numbers to numbers. */
#ifndef CAIRN_BASE_TABLE_NUMBER_MAP_H
#define CAIRN_BASE_TABLE_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* That slot will be asked for, but not at once. */
void number_map_soon(const struct number_map *map, uint64_t key);

/* The number of a key; false when it has none. */
bool number_map_find(const struct number_map *map, uint64_t key, uint32_t *number);

#endif
