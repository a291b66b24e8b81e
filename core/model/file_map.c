/* SPDX-License-Identifier: MIT */
/* Assigns a writer's file numbers, which are valid for one file table. */
#include "file_map.h"

#include "base/array_grow.h"

#include <stdlib.h>
#include <string.h>

bool file_map_begin(struct file_map *map, const struct function *function)
{
	size_t count = function->file_count ? function->file_count : 1;

	if (map->count > 0 && function->row_count == 0 && function->inline_count == 0)
		return true;
	if (map->files != function->files || map->set != function->file_set)
		map->count = 0;
	if (count > map->count) {
		if (!array_grow(&map->number, &map->room, count, sizeof(*map->number)))
			return false;
		memset(map->number + map->count, 0xff, (count - map->count) * sizeof(*map->number));
		map->count = count;
	}
	map->files = function->files;
	map->set = function->file_set;
	return true;
}

void file_map_finish(struct file_map *map)
{
	free(map->number);
	*map = (struct file_map){ .number = NULL };
}
