/* SPDX-License-Identifier: MIT */
/* Compares, sorts and searches records by the numbers that they contain. */
#ifndef CAIRN_BASE_SORT_H
#define CAIRN_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Order by ascending number, for qsort(). If the numbers are equal, the result is `then`: 0, or the
 * comparison of the next pair of numbers.
 *
 *	const struct cairn_range *a = left, *b = right;
 *
 *	return ORDER_BY(a->low, b->low, ORDER_BY(b->high, a->high, 0));
 */
#define ORDER_BY(a, b, then) ((a) != (b) ? ((a) < (b) ? -1 : 1) : (then))

/*
 * Binary search for a position in sorted items: the number of items that precede it.
 *
 *	struct bisection search = bisect_begin(count);
 *
 *	while (search.low < search.high)
 *		bisect_narrow(&search, list->item[search.middle] < item);
 *	... search.low items come before `item`
 *
 * Records sorted by a 64-bit member need no loop: use SORTED_UP_TO() and SORTED_BELOW().
 */

/* The position is between `low` and `high`. While they differ, compare the item `middle`. */
struct bisection {
	size_t low, high, middle;
};

static inline struct bisection bisect_begin(size_t count)
{
	return (struct bisection){ 0, count, count / 2 };
}

/* Continue the search. `before` is true if the item `middle` precedes the position. */
static inline void bisect_narrow(struct bisection *search, bool before)
{
	if (before)
		search->low = search->middle + 1;
	else
		search->high = search->middle;
	search->middle = search->low + (search->high - search->low) / 2;
}

/*
 * Return the number of sorted records whose member at `offset` is at most `key` or, if `equal` is
 * false, less than `key`.
 */
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

/* Compute the offset of a member. Compilation fails unless it is a 64-bit integer. */
#define BISECT_MEMBER(records, member) \
	_Generic((records)->member, uint64_t : offsetof(__typeof__(*(records)), member))

/*
 * Return the number of records in a sorted array whose member is at most (UP_TO) or less than
 * (BELOW) the key. This is also the index of the first record after them.
 */
#define SORTED_UP_TO(records, count, member, key)                                               \
	bisect_records(records, count, sizeof(*(records)), BISECT_MEMBER(records, member), key, \
	               true)
#define SORTED_BELOW(records, count, member, key)                                               \
	bisect_records(records, count, sizeof(*(records)), BISECT_MEMBER(records, member), key, \
	               false)

/*
 * Sort records by their first member, which must be a 64-bit number. For other orders, use
 * ORDER_BY().
 */

void sort_records(void *records, size_t count, size_t size);

/*
 * Sort by `member`. Compilation fails (an array has a negative size) unless it is the first member
 * and a 64-bit integer.
 */
#define SORT_BY_FIRST(records, count, member)                                     \
	sort_records(records, count,                                              \
	             sizeof(char[BISECT_MEMBER(records, member) == 0 ? 1 : -1]) * \
	                     sizeof(*(records)))

#endif
