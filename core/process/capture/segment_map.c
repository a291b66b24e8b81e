/* SPDX-License-Identifier: MIT */
/* Keeps segments in order, and cuts a new one where others are. */
#include "segment_map.h"

#include "base/array_grow.h"
#include "base/bisect.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

/* The first segment that ends above the address. */
static size_t find_mapped_segment(const struct segment_map *map, uint64_t address)
{
	return SORTED_UP_TO(map->segments, map->count, high, address);
}

/* A part of `whole` as a segment of its own, before the segment number `at`. */
static void insert_part(struct segment_map *map, size_t at, const struct core_segment *whole,
                        uint64_t low, uint64_t high)
{
	struct core_segment part = *whole;

	if (!array_grow(&map->segments, &map->room, map->count + 1, sizeof(*map->segments))) {
		map->scarce = true;
		return;
	}
	part.low = low;
	part.high = high;
	if (part.bytes.size > 0)
		part.bytes = (struct cairn_bytes){ whole->bytes.data + (low - whole->low),
			                           (size_t)(high - low) };
	memmove(&map->segments[at + 1], &map->segments[at],
	        (map->count - at) * sizeof(*map->segments));
	map->segments[at] = part;
	map->count++;
}

void segment_map_add(struct segment_map *map, const struct core_segment *segment)
{
	uint64_t at = segment->low;

	while (at < segment->high && !map->scarce) {
		const size_t next = find_mapped_segment(map, at);
		const struct core_segment *taken = next < map->count ? &map->segments[next] : NULL;
		if (taken && taken->low <= at) {
			at = taken->high;
			continue;
		}
		const uint64_t high =
			taken && taken->low < segment->high ? taken->low : segment->high;
		insert_part(map, next, segment, at, high);
		at = high;
	}
}

uint64_t segment_map_find_room(const struct segment_map *map, uint64_t low, uint64_t size)
{
	uint64_t at = low;

	for (size_t i = find_mapped_segment(map, low); i < map->count; i++) {
		const struct core_segment *segment = &map->segments[i];
		if (segment->low >= at && segment->low - at >= size)
			return at;
		if (segment->high > UINT64_MAX - PAGE)
			return 0;
		at = (segment->high + PAGE - 1) / PAGE * PAGE;
	}
	return size <= UINT64_MAX - at ? at : 0;
}

void segment_map_finish(struct segment_map *map)
{
	free(map->segments);
}
