/* SPDX-License-Identifier: MIT */
/*
 * Nested ranges: clips the ranges of an inlined call to the ranges of the enclosing call, even if
 * the file claims otherwise. Each level is a slice of one array, so a call is dropped by resetting
 * `count`.
 *
 *	nested_ranges_add(&ranges, whole);  level[0] is { 0, 1 }
 *	for (ranges.owns = 0; read_range(&range);)
 *		nested_ranges_read(&ranges, range);
 *	nested_ranges_cut(&ranges, &level[depth - 1], limit, &level[depth]);
 */
#ifndef CAIRN_BASE_NESTED_RANGES_H
#define CAIRN_BASE_NESTED_RANGES_H

#include "array_grow.h"

#include <cairn.h>

struct nested_ranges {
	struct cairn_range *range;
	size_t count, room;
	struct cairn_range *own;
	size_t owns, own_room;
};

struct nested_level {
	size_t first, count;
};

static inline bool nested_ranges_add(struct nested_ranges *nested, struct cairn_range range)
{
	return ARRAY_APPEND(nested->range, nested->count, nested->room, range);
}

static inline bool nested_ranges_read(struct nested_ranges *nested, struct cairn_range range)
{
	if (range.low >= range.high)
		return true;
	return ARRAY_APPEND(nested->own, nested->owns, nested->own_room, range);
}

/*
 * Sort the ranges of the current call, clip them to the enclosing level `around` and append them as
 * *level, as long as there are fewer than `limit` ranges in total. Return false if memory is short.
 */
bool nested_ranges_cut(struct nested_ranges *nested, const struct nested_level *around,
                       size_t limit, struct nested_level *level);

void nested_ranges_finish(struct nested_ranges *nested);

#endif
