/* SPDX-License-Identifier: MIT */
/*
 * Pointers by an address or a number, in ascending order: a sorted row of sorted blocks.  Keys may
 * come in any order, descending too, and each costs about the same.
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

/* The entry with the largest key that is not above `key`; NULL when there is none. */
struct address_map_entry *address_map_find(const struct address_map *map, uint64_t key);

/* The entry with the smallest key above `key`. */
struct address_map_entry *address_map_find_after(const struct address_map *map, uint64_t key);

/* Add a key that is not there yet.  False when memory is short. */
bool address_map_add(struct address_map *map, uint64_t key, void *value);

/* Frees the map, not the values. */
void address_map_finish(struct address_map *map);

#endif
