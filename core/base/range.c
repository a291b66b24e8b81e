/* SPDX-License-Identifier: MIT */
/* Puts ranges of addresses into order. */
#include "range.h"

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
