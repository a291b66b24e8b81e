/* SPDX-License-Identifier: MIT */
/*
 * Binary search: how many of the sorted items come before the place that is looked for.
 *
 *	struct bisection search = bisect_begin(count);
 *
 *	while (search.low < search.high)
 *		bisect_narrow(&search, list->item[search.middle] < item);
 *	... search.low of them come before `item`
 *
 * Records that are sorted by a member of 64 bits need no loop: SORTED_UP_TO() and SORTED_BELOW().
 */
#ifndef CAIRN_BASE_BISECT_H
#define CAIRN_BASE_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The answer is at least `low` and at most `high`.  While they differ, ask about the item `middle`. */
struct bisection {
	size_t low, high, middle;
};

static inline struct bisection bisect_begin(size_t count)
{
	return (struct bisection){ 0, count, count / 2 };
}

/* Does the item `middle` come before the place that is looked for? */
static inline void bisect_narrow(struct bisection *search, bool before)
{
	if (before)
		search->low = search->middle + 1;
	else
		search->high = search->middle;
	search->middle = search->low + (search->high - search->low) / 2;
}

/* Counts the records, sorted by the member at `offset`, in which it is at most `key` (without `equal`: less). */
static inline size_t bisect_records(const void *records, size_t count, size_t size, size_t offset,
                                    uint64_t key, bool equal)
{
	struct bisection search = bisect_begin(count);

	while (search.low < search.high) {
		const char *record = (const char *)records + search.middle * size;
		const uint64_t value = *(const uint64_t *)(const void *)(record + offset);
		bisect_narrow(&search, equal ? value <= key : value < key);
	}
	return search.low;
}

/* The place of a member, which must have 64 bits. */
#define BISECT_MEMBER(records, member) \
	_Generic((records)->member, uint64_t : offsetof(__typeof__(*(records)), member))

/* How many of the `count` records have a member that is at most, or less than, the key: the number of the next one. */
#define SORTED_UP_TO(records, count, member, key)                                               \
	bisect_records(records, count, sizeof(*(records)), BISECT_MEMBER(records, member), key, \
	               true)
#define SORTED_BELOW(records, count, member, key)                                               \
	bisect_records(records, count, sizeof(*(records)), BISECT_MEMBER(records, member), key, \
	               false)

#endif
