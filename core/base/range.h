/* SPDX-License-Identifier: MIT */
/* Merges, searches and clips address ranges. */
#ifndef CAIRN_BASE_RANGE_H
#define CAIRN_BASE_RANGE_H

#include "memory.h"

#include <cairn.h>

#include <stdbool.h>
#include <stddef.h>

static inline uint64_t range_size(struct cairn_range range)
{
	return range.low < range.high ? range.high - range.low : 0;
}

/*
 * Return the range of the single byte at `va`. For the highest address it is empty, because no
 * range can end after it.
 */
static inline struct cairn_range range_of_byte(uint64_t va)
{
	return (struct cairn_range){ va, va < UINT64_MAX ? va + 1 : va };
}

static inline uint32_t range_location_size(uint64_t size)
{
	return size <= UINT32_MAX ? (uint32_t)size : 0;
}

/* Return the smallest range that contains all `count` ranges, or an empty range if `count` is 0. */
static inline struct cairn_range range_hull(const struct cairn_range *range, size_t count)
{
	struct cairn_range hull = { UINT64_MAX, 0 };

	for (size_t i = 0; i < count; i++) {
		hull.low = range[i].low < hull.low ? range[i].low : hull.low;
		hull.high = range[i].high > hull.high ? range[i].high : hull.high;
	}
	return hull;
}

/* Return the index of the first range that ends after `va`. The `count` ranges must be sorted. */
size_t range_find_after(const struct cairn_range *range, size_t count, uint64_t va);

/*
 * Return true if the range shares an address with any of the `count` ranges in `asked`, which are
 * sorted and disjoint, as from range_merge(). An empty range shares no address.
 */
static inline bool range_touches(struct cairn_range range, const struct cairn_range *asked,
                                 size_t count)
{
	if (range.low >= range.high || count == 0)
		return false;
	const size_t at = count == 1 ? 0 : range_find_after(asked, count, range.low);
	return at < count && range.low < asked[at].high && range.high > asked[at].low;
}

/* Find the next intersection of `own` with the sorted ranges `around`. Initialize *at to 0. */
bool range_next_common(const struct cairn_range *around, size_t count, struct cairn_range own,
                       size_t *at, struct cairn_range *common);

int range_compare(const void *left, const void *right);

/* Sort ranges and merge those that overlap or are adjacent. Return the new number of ranges. */
size_t range_merge(struct cairn_range *range, size_t count);

/*
 * Ranges of nested inlined calls. A damaged file may contain ranges outside the enclosing call, so
 * they are clipped to its ranges. Each level is a slice of one array, so a call can be dropped by
 * resetting `count`.
 *
 *	nested_ranges_add(&ranges, whole);  level[0] is { 0, 1 }
 *	for (ranges.owns = 0; read_range(&range);)
 *		nested_ranges_read(&ranges, range);
 *	nested_ranges_cut(&ranges, &level[depth - 1], limit, &level[depth]);
 */

struct nested_ranges {
	struct cairn_range *range;
	size_t count, capacity;
	struct cairn_range *own;
	size_t owns, own_capacity;
};

struct nested_level {
	size_t first, count;
};

static inline bool nested_ranges_add(struct nested_ranges *nested, struct cairn_range range)
{
	return ARRAY_APPEND(nested->range, nested->count, nested->capacity, range);
}

static inline bool nested_ranges_read(struct nested_ranges *nested, struct cairn_range range)
{
	if (range.low >= range.high)
		return true;
	return ARRAY_APPEND(nested->own, nested->owns, nested->own_capacity, range);
}

/*
 * Sort the ranges of the current call, clip them to the enclosing level `around` and append them as
 * *level, up to `limit` ranges in total. Return false if allocation fails.
 */
bool nested_ranges_cut(struct nested_ranges *nested, const struct nested_level *around,
                       size_t limit, struct nested_level *level);

void nested_ranges_finish(struct nested_ranges *nested);

#endif
