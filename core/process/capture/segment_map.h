/* SPDX-License-Identifier: MIT */
/*
 * Segments of a core to come: ascending and apart. What is added earlier stays, and of what is added later the parts
 * count that are still free.
 */
#ifndef CAIRN_PROCESS_CAPTURE_SEGMENT_MAP_H
#define CAIRN_PROCESS_CAPTURE_SEGMENT_MAP_H

#include "writers/core/core_writer.h"

struct segment_map {
	struct core_segment *segments;
	size_t count, room;
	bool scarce; /* memory is short */
};

/* segment->bytes is all of it, or empty. */
void segment_map_add(struct segment_map *map, const struct core_segment *segment);

/* The lowest address from `low` on, a multiple of a page, where `size` bytes are free; 0: there is none. */
uint64_t segment_map_find_room(const struct segment_map *map, uint64_t low, uint64_t size);

void segment_map_finish(struct segment_map *map);

#endif
