/* SPDX-License-Identifier: MIT */
/* Ranges of addresses that have something in common. */
#ifndef CAIRN_BASE_RANGE_H
#define CAIRN_BASE_RANGE_H

#include <cairn.h>

#include <stdbool.h>
#include <stddef.h>

static inline uint64_t range_size(struct cairn_range range)
{
	return range.low < range.high ? range.high - range.low : 0;
}

/* The range of one byte.  No range ends after the highest address, whose own is empty. */
static inline struct cairn_range range_of_byte(uint64_t va)
{
	return (struct cairn_range){ va, va < UINT64_MAX ? va + 1 : va };
}

/* The size of a function as a location has it: 0 where it does not fit. */
static inline uint32_t range_location_size(uint64_t size)
{
	return size <= UINT32_MAX ? (uint32_t)size : 0;
}

/* The least that holds all of them; of none, one that is empty. */
static inline struct cairn_range range_hull(const struct cairn_range *range, size_t count)
{
	struct cairn_range hull = { UINT64_MAX, 0 };

	for (size_t i = 0; i < count; i++) {
		hull.low = range[i].low < hull.low ? range[i].low : hull.low;
		hull.high = range[i].high > hull.high ? range[i].high : hull.high;
	}
	return hull;
}

/* The first of `count` ascending ranges that ends after `va`. */
size_t range_find_after(const struct cairn_range *range, size_t count, uint64_t va);

/* Does a range have an address in common with one of `count` ascending others, as range_merge() leaves them?  An empty one has none. */
static inline bool range_touches(struct cairn_range range, const struct cairn_range *asked,
                                 size_t count)
{
	if (range.low >= range.high || count == 0)
		return false;
	const size_t at = count == 1 ? 0 : range_find_after(asked, count, range.low);
	return at < count && range.low < asked[at].high && range.high > asked[at].low;
}

/* Finds the next part that `own` has in common with ascending ranges.  *at is 0 at first. */
bool range_next_common(const struct cairn_range *around, size_t count, struct cairn_range own,
                       size_t *at, struct cairn_range *common);

/* For qsort(): by where ranges begin, then by where they end. */
int range_compare(const void *left, const void *right);

/* Sorts ranges, and makes one of those that touch each other: how many are left. */
size_t range_merge(struct cairn_range *range, size_t count);

#endif
