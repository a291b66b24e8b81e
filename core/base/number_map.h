/* SPDX-License-Identifier: MIT */
/* A hash table from numbers to numbers. */
#ifndef CAIRN_BASE_NUMBER_MAP_H
#define CAIRN_BASE_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys are not 0. Entries cannot be removed. */
struct number_map {
	struct number_slot {
		uint64_t key;
		uint32_t number;
	} * slot;
	uint32_t bits, count;
};

/*
 * Return the slot of a key, or NULL if memory is short. If the slot is unused, the caller fills it
 * and increments `count`.
 */
struct number_slot *number_map_at(struct number_map *map, uint64_t key);

void number_map_soon(const struct number_map *map, uint64_t key);

bool number_map_find(const struct number_map *map, uint64_t key, uint32_t *number);

#endif
