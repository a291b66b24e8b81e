/* SPDX-License-Identifier: MIT */
/*
 * Pointers by an address or a number, in ascending order: a sorted row of sorted blocks.  Keys may
 * come in any order, descending too, and each costs about the same.
 */
#ifndef CAIRN_ENGINE_MARKUP_ADDRESS_MAP_H
#define CAIRN_ENGINE_MARKUP_ADDRESS_MAP_H

#include <cairn.h>

enum { MARKUP_MAP_BLOCK = 256 };

struct markup_map_entry {
	uint64_t key;
	void *value;
};

struct markup_map_block {
	size_t count; /* at least 1 */
	struct markup_map_entry entry[MARKUP_MAP_BLOCK];
};

struct markup_map {
	struct markup_map_block **block;
	size_t blocks, room, count;
};

/* The entry with the largest key that is not above `key`; NULL when there is none. */
struct markup_map_entry *markup_map_at(const struct markup_map *map, uint64_t key);

/* The entry with the smallest key above `key`. */
struct markup_map_entry *markup_map_behind(const struct markup_map *map, uint64_t key);

/* Add a key that is not there yet.  False when memory is short. */
bool markup_map_add(struct markup_map *map, uint64_t key, void *value);

/* Frees the map, not the values. */
void markup_map_finish(struct markup_map *map);

#endif
