/* SPDX-License-Identifier: MIT */
/*
 * Ranges that nest: those of an inlined call lie in those of the call around it, whatever a file says.  Each level is a run of one
 * array, so that a call that is done with is dropped by setting `count` back.
 *
 *	nested_ranges_add(&ranges, whole);  level[0] is { 0, 1 }
 *	for (ranges.owns = 0; read_range(&range);)
 *		nested_ranges_read(&ranges, range);
 *	nested_ranges_cut(&ranges, &level[depth - 1], limit, &level[depth]);
 */
#ifndef CAIRN_BASE_NESTED_RANGES_H
#define CAIRN_BASE_NESTED_RANGES_H

#include "base/array_grow.h"

#include <cairn.h>

struct nested_ranges {
	struct cairn_range *range; /* of all levels */
	size_t count, room;
	struct cairn_range *own; /* of the call in progress, as they were read */
	size_t owns, own_room;
};

/* The ranges of one call. */
struct nested_level {
	size_t first, count;
};

static inline bool nested_ranges_add(struct nested_ranges *nested, struct cairn_range range)
{
	return ARRAY_APPEND(nested->range, nested->count, nested->room, range);
}

/* One that is empty is passed over. */
static inline bool nested_ranges_read(struct nested_ranges *nested, struct cairn_range range)
{
	if (range.low >= range.high)
		return true;
	return ARRAY_APPEND(nested->own, nested->owns, nested->own_room, range);
}

/*
 * Puts what was read in order, and adds what of it lies in the level around it, as long as there are fewer than `limit` ranges: that is
 * *level.  False: memory is short.
 */
bool nested_ranges_cut(struct nested_ranges *nested, const struct nested_level *around,
                       size_t limit, struct nested_level *level);

void nested_ranges_finish(struct nested_ranges *nested);

#endif
