/* SPDX-License-Identifier: MIT */
/* Puts ranges of addresses into order. */
#include "range.h"

#include <stdlib.h>

static int compare_by_low(const void *left, const void *right)
{
	const struct cairn_range *a = left, *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

size_t range_merge(struct cairn_range *range, size_t count)
{
	size_t kept = 0;

	if (count > 0)
		qsort(range, count, sizeof(*range), compare_by_low);
	for (size_t i = 0; i < count; i++) {
		struct cairn_range *last = kept > 0 ? &range[kept - 1] : NULL;
		if (!last || range[i].low > last->high)
			range[kept++] = range[i];
		else if (range[i].high > last->high)
			last->high = range[i].high;
	}
	return kept;
}
