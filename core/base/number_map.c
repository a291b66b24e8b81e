/* SPDX-License-Identifier: MIT */
/* Implements the hash table from numbers to numbers. */
#include "number_map.h"

#include "hash.h"
#include "invariant.h"
#include "memory_soon.h"
#include "table_memory.h"

#include <stdlib.h>

enum { FIRST_BITS = 8, BITS_MAX = 31 };

static uint32_t find_mask(const struct number_map *map)
{
	return (uint32_t)((UINT64_C(1) << map->bits) - 1);
}

static uint32_t find_first_slot(const struct number_map *map, uint64_t key)
{
	return (uint32_t)hash_number(key, map->slot) & find_mask(map);
}

static uint32_t find_number_slot(const struct number_map *map, uint64_t key)
{
	uint32_t mask = find_mask(map), at = find_first_slot(map, key);

	while (map->slot[at].key != 0 && map->slot[at].key != key)
		at = (at + 1) & mask;
	return at;
}

static bool map_grow(struct number_map *map)
{
	struct number_map grown = { .bits = map->slot ? map->bits + 1 : FIRST_BITS,
		                    .count = map->count };

	if (grown.bits > BITS_MAX)
		return false;
	grown.slot = table_memory_new((size_t)1 << grown.bits, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	for (size_t i = 0; map->slot && i < (size_t)1 << map->bits; i++)
		if (map->slot[i].key != 0)
			grown.slot[find_number_slot(&grown, map->slot[i].key)] = map->slot[i];
	free(map->slot);
	*map = grown;
	return true;
}

struct number_slot *number_map_at(struct number_map *map, uint64_t key)
{
	INVARIANT(key != 0); /* 0 marks an unused slot */
	if ((!map->slot || (uint64_t)map->count * 3 >= (uint64_t)2 << map->bits) && !map_grow(map))
		return NULL;
	return &map->slot[find_number_slot(map, key)];
}

void number_map_soon(const struct number_map *map, uint64_t key)
{
	if (map->slot)
		memory_soon(&map->slot[find_first_slot(map, key)], 0);
}

bool number_map_find(const struct number_map *map, uint64_t key, uint32_t *number)
{
	if (!map->slot)
		return false;
	const struct number_slot *slot = &map->slot[find_number_slot(map, key)];
	if (slot->key == 0)
		return false;
	*number = slot->number;
	return true;
}
