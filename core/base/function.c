/* SPDX-License-Identifier: MIT */
/* Chooses between functions with the same range, and maps source files to a writer's indices. */
#include "function.h"

#include "base/memory.h"
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const struct function_order *order, uint64_t va, struct cairn_bytes a,
                         struct cairn_bytes b)
{
	int result = 0;

	if (a.data == b.data && a.size == b.size)
		return 0;
	if (order->compare_names)
		result = order->compare_names(order->context, va, a, b);
	return result != 0 ? result : name_order_compare(a, b);
}

int function_order_compare(const struct function_order *order, uint64_t va,
                           const struct function_rank *a, const struct function_rank *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if ((a->name.size == 0) != (b->name.size == 0))
		return a->name.size == 0 ? 1 : -1;
	const int names = compare_names(order, va, a->name, b->name);
	if (names != 0 || a->has_lines == b->has_lines)
		return names;
	return a->has_lines ? -1 : 1;
}

bool file_map_begin(struct file_map *map, const struct function *function)
{
	size_t count = function->file_count ? function->file_count : 1;

	if (map->count > 0 && function->row_count == 0 && function->inline_count == 0)
		return true;
	if (map->files != function->files || map->set != function->file_set)
		map->count = 0;
	if (count > map->count) {
		if (!array_grow(&map->number, &map->capacity, count, sizeof(*map->number)))
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
