/* SPDX-License-Identifier: MIT */
/* Keeps the list of captures that the debugger shows, and lists of address ranges. */
#include "lists.h"

#include <stdlib.h>
#include <string.h>

struct shown_capture *captures_add(struct captures *captures, struct cairn_capture *capture)
{
	if (captures->count == CAPTURES_MAX) {
		cairn_capture_close(capture);
		return NULL;
	}
	captures->shown[captures->count] = (struct shown_capture){ .capture = capture };
	return &captures->shown[captures->count++];
}

struct shown_capture *captures_find(struct captures *captures, uint64_t view)
{
	for (size_t i = 0; i < captures->count; i++)
		if (captures->shown[i].is_shown && captures->shown[i].view == view)
			return &captures->shown[i];
	return NULL;
}

void captures_drop(struct captures *captures, struct shown_capture *shown)
{
	const size_t number = (size_t)(shown - captures->shown);

	cairn_capture_close(shown->capture);
	captures->count--;
	memmove(shown, shown + 1, (captures->count - number) * sizeof(*shown));
}

void captures_drop_unshown(struct captures *captures)
{
	for (size_t i = captures->count; i-- > 0;)
		if (!captures->shown[i].is_shown)
			captures_drop(captures, &captures->shown[i]);
}

void captures_finish(struct captures *captures)
{
	while (captures->count > 0)
		captures_drop(captures, &captures->shown[captures->count - 1]);
}

enum { FIRST_CAPACITY = 64 };

bool range_list_add(struct range_list *list, struct cairn_range range)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : FIRST_CAPACITY;
		struct cairn_range *grown = realloc(list->range, capacity * sizeof(*grown));
		if (!grown)
			return false;
		list->range = grown;
		list->capacity = capacity;
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
