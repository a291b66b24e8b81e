/* SPDX-License-Identifier: MIT */
/* Lists of the addresses of units, functions and inlined calls, and the search in them. */
#include "units.h"

#include "debuginfo/dwarf/die_ranges.h"

#include <stdlib.h>

bool units_list_add(struct units_list *list, struct units_range range, struct budget *budget)
{
	if (!budget_room(budget, &list->range, &list->room, list->count + 1, sizeof(range)))
		return false;
	list->range[list->count++] = range;
	return true;
}

bool units_list_add_list(struct units_list *list, struct dwarf_ranges *ranges,
                         struct units_range like, struct budget *budget)
{
	struct cairn_range range;
	uint64_t from = ranges->at;

	while (dwarf_next_range(ranges, &range)) {
		like.low = range.low;
		like.high = range.high;
		/* also what was passed over: entries that move the base */
		if (!budget_work(budget, 1 + (ranges->at - from) / DIE_RANGE_BYTES) ||
		    (like.low < like.high && !units_list_add(list, like, budget)))
			return false;
		from = ranges->at;
	}
	return budget_work(budget, (ranges->at - from) / DIE_RANGE_BYTES);
}

bool units_list_add_die(struct units_list *list, struct libdw_ranges *ranges, Dwarf_Die *die,
                        struct units_range like, struct budget *budget)
{
	struct cairn_range one = { 0, 0 };
	struct dwarf_ranges listed;
	enum libdw_ranges_kind kind = libdw_ranges_open(ranges, die, &one, &listed);

	if (kind == LIBDW_RANGES_LIST)
		return units_list_add_list(list, &listed, like, budget);
	like.low = one.low;
	like.high = one.high;
	return budget_work(budget, 1) &&
	       (like.low >= like.high || units_list_add(list, like, budget));
}

static int compare_unit_ranges(const void *left, const void *right)
{
	const struct units_range *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high > b->high ? -1 : a->high < b->high;
}

void units_list_mark(struct units_list *list)
{
	for (size_t number = 1; number <= list->count; number++) {
		struct units_range *range = &list->range[number - 1];
		range->reach = range->high;
		range->least = range->low;
		for (size_t part = 1; part < (number & (0 - number)); part <<= 1) {
			const struct units_range *before = &list->range[number - part - 1];
			range->reach = before->reach > range->reach ? before->reach : range->reach;
			range->least = before->least < range->least ? before->least : range->least;
		}
	}
}

void units_list_sort(struct units_list *list)
{
	if (list->count > 0)
		qsort(list->range, list->count, sizeof(*list->range), compare_unit_ranges);
	units_list_mark(list);
}

size_t units_range_below(const struct units_list *list, size_t from, size_t floor, uint64_t va,
                         uint64_t *steps)
{
	size_t at = from;

	for (; at > floor; (*steps)++) {
		const struct units_range *range = &list->range[at - 1];
		if (range->low <= va && va < range->high)
			return at;
		/* nothing in the block holds it, or this one alone does not */
		at -= range->reach <= va || range->least > va ? at & (0 - at) : 1;
	}
	return floor;
}

const struct units_range *units_range_at(const struct units_list *list, uint64_t va)
{
	size_t low = 0, high = list->count;
	uint64_t steps = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->range[middle].low <= va)
			low = middle + 1;
		else
			high = middle;
	}
	low = units_range_below(list, low, 0, va, &steps);
	return low > 0 ? &list->range[low - 1] : NULL;
}
