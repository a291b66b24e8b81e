/* SPDX-License-Identifier: MIT */
/* Clips the ranges of a call to the ranges of the enclosing call. */
#include "nested_ranges.h"

#include "range.h"

#include <stdlib.h>

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
