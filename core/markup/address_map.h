/* SPDX-License-Identifier: MIT */
/*
 * A map from addresses or numbers to pointers in ascending order: a sorted array of sorted blocks.
 * Keys may be added in any order, also descending, at about the same cost.
 */
#ifndef CAIRN_MARKUP_ADDRESS_MAP_H
#define CAIRN_MARKUP_ADDRESS_MAP_H

#include <cairn.h>

enum { ADDRESS_MAP_BLOCK = 256 };

struct address_map_entry {
	uint64_t key;
	void *value;
};

struct address_map_block {
	size_t count; /* at least 1 */
	struct address_map_entry entry[ADDRESS_MAP_BLOCK];
};

struct address_map {
	struct address_map_block **block;
	size_t blocks, room, count;
};

/* Return the entry with the largest key <= `key`, or NULL. */
struct address_map_entry *address_map_find(const struct address_map *map, uint64_t key);

/* Return the entry with the smallest key > `key`, or NULL. */
struct address_map_entry *address_map_find_after(const struct address_map *map, uint64_t key);

/* Add a key that is not in the map yet. Return false if memory is short. */
bool address_map_add(struct address_map *map, uint64_t key, void *value);

/* Free the map, but not the values. */
void address_map_finish(struct address_map *map);

#endif
