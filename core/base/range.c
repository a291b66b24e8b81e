/* SPDX-License-Identifier: MIT */
/* Sorts, merges and intersects address ranges. */
#include "range.h"
#include "sort.h"

#include <stdlib.h>

int range_compare(const void *left, const void *right)
{
	const struct cairn_range *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

static bool are_ascending(const struct cairn_range *range, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (range[i].low < range[i - 1].low)
			return false;
	return true;
}

size_t range_merge(struct cairn_range *range, size_t count)
{
	size_t kept = 0;

	if (!are_ascending(range, count))
		qsort(range, count, sizeof(*range), range_compare);
	for (size_t i = 0; i < count; i++) {
		struct cairn_range *last = kept > 0 ? &range[kept - 1] : NULL;
		if (!last || range[i].low > last->high)
			range[kept++] = range[i];
		else if (range[i].high > last->high)
			last->high = range[i].high;
	}
	return kept;
}

size_t range_find_after(const struct cairn_range *range, size_t count, uint64_t va)
{
	return SORTED_UP_TO(range, count, high, va);
}

bool range_next_common(const struct cairn_range *around, size_t count, struct cairn_range own,
                       size_t *at, struct cairn_range *common)
{
	const size_t i = *at ? *at : range_find_after(around, count, own.low);

	if (i >= count || around[i].low >= own.high)
		return false;
	*at = i + 1;
	common->low = around[i].low > own.low ? around[i].low : own.low;
	common->high = around[i].high < own.high ? around[i].high : own.high;
	return true;
}

static bool cut_one(struct nested_ranges *nested, const struct nested_level *around,
                    struct cairn_range own, size_t limit)
{
	struct cairn_range common;
	size_t at = 0;

	while (nested->count < limit &&
	       range_next_common(nested->range + around->first, around->count, own, &at, &common))
		if (!nested_ranges_add(nested, common))
			return false;
	return true;
}

bool nested_ranges_cut(struct nested_ranges *nested, const struct nested_level *around,
                       size_t limit, struct nested_level *level)
{
	const size_t first = nested->count;

	nested->owns = range_merge(nested->own, nested->owns);
	for (size_t i = 0; i < nested->owns; i++)
		if (!cut_one(nested, around, nested->own[i], limit))
			return false;
	*level = (struct nested_level){ first, nested->count - first };
	return true;
}

void nested_ranges_finish(struct nested_ranges *nested)
{
	free(nested->range);
	free(nested->own);
}
