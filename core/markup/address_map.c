/* SPDX-License-Identifier: MIT */
/* Implements the sorted map of blocks that finds the entry at or below an address. */
#include "address_map.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Return the number of blocks whose first key is <= `key`. */
static size_t blocks_up_to(const struct address_map *map, uint64_t key)
{
	struct bisection search = bisect_begin(map->blocks);

	while (search.low < search.high)
		bisect_narrow(&search, map->block[search.middle]->entry[0].key <= key);
	return search.low;
}

/* Return the number of entries in the block with a key <= `key`. */
static size_t entries_up_to(const struct address_map_block *block, uint64_t key)
{
	return SORTED_UP_TO(block->entry, block->count, key, key);
}

struct address_map_entry *address_map_find(const struct address_map *map, uint64_t key)
{
	size_t b = blocks_up_to(map, key);

	if (b == 0)
		return NULL;
	struct address_map_block *block = map->block[b - 1];
	return &block->entry[entries_up_to(block, key) - 1];
}

struct address_map_entry *address_map_find_after(const struct address_map *map, uint64_t key)
{
	size_t b = blocks_up_to(map, key);

	if (b > 0) {
		struct address_map_block *block = map->block[b - 1];
		size_t e = entries_up_to(block, key);
		if (e < block->count)
			return &block->entry[e];
	}
	return b < map->blocks ? &map->block[b]->entry[0] : NULL;
}

static struct address_map_block *insert_block(struct address_map *map, size_t index)
{
	if (!array_grow(&map->block, &map->room, map->blocks + 1, sizeof(*map->block)))
		return NULL;
	struct address_map_block *block = malloc(sizeof(*block));
	if (!block)
		return NULL;
	memmove(&map->block[index + 1], &map->block[index],
	        (map->blocks - index) * sizeof(*map->block));
	block->count = 0;
	map->block[index] = block;
	map->blocks++;
	return block;
}

/*
 * Split the full block at `index`: in half, or, if the new entry would be the last, by moving only
 * its last entry, so that ascending keys leave full blocks behind.
 */
static bool split_map_block(struct address_map *map, size_t index, size_t at)
{
	struct address_map_block *full = map->block[index];
	size_t keep = at == full->count ? full->count - 1 : full->count / 2;
	struct address_map_block *next = insert_block(map, index + 1);

	if (!next)
		return false;
	next->count = full->count - keep;
	memcpy(next->entry, full->entry + keep, next->count * sizeof(*next->entry));
	full->count = keep;
	return true;
}

bool address_map_add(struct address_map *map, uint64_t key, void *value)
{
	size_t b = blocks_up_to(map, key);

	if (map->blocks == 0 && !insert_block(map, 0))
		return false;
	b = b > 0 ? b - 1 : 0;
	size_t at = entries_up_to(map->block[b], key);
	if (map->block[b]->count == ADDRESS_MAP_BLOCK) {
		if (!split_map_block(map, b, at))
			return false;
		if (at > map->block[b]->count) {
			at -= map->block[b]->count;
			b++;
		}
	}
	struct address_map_block *block = map->block[b];
	memmove(&block->entry[at + 1], &block->entry[at],
	        (block->count - at) * sizeof(block->entry[0]));
	block->entry[at] = (struct address_map_entry){ key, value };
	block->count++;
	map->count++;
	return true;
}

void address_map_finish(struct address_map *map)
{
	for (size_t i = 0; i < map->blocks; i++)
		free(map->block[i]);
	free(map->block);
	*map = (struct address_map){ NULL, 0, 0, 0 };
}
