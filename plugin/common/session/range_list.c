/* SPDX-License-Identifier: MIT */
/* Grows and clips a list of address ranges. */
#include "range_list.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

bool range_list_add(struct range_list *list, struct cairn_range range)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : FIRST_ROOM;
		struct cairn_range *grown = realloc(list->range, room * sizeof(*grown));
		if (!grown)
			return false;
		list->range = grown;
		list->room = room;
	}
	list->range[list->count++] = range;
	return true;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct cairn_range *a = left, *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

void range_list_clip(struct range_list *list, struct cairn_range range)
{
	size_t kept = 0;

	if (list->count > 0)
		qsort(list->range, list->count, sizeof(*list->range), compare_ranges);
	for (size_t i = 0; i < list->count; i++) {
		struct cairn_range r = list->range[i];
		r.low = r.low > range.low ? r.low : range.low;
		r.high = r.high < range.high ? r.high : range.high;
		if (r.low >= r.high)
			continue;
		struct cairn_range *last = kept > 0 ? &list->range[kept - 1] : NULL;
		if (!last || last->high < r.low)
			list->range[kept++] = r;
		else if (last->high < r.high)
			last->high = r.high;
	}
	list->count = kept;
}

void range_list_finish(struct range_list *list)
{
	free(list->range);
	*list = (struct range_list){ .range = NULL };
}
