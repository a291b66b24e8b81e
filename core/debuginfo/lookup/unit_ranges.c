/* SPDX-License-Identifier: MIT */
/* Lists of the addresses of units, functions and inlined calls, and the search in them. */
#include "units.h"

#include <stdlib.h>

bool units_list_add(struct units_list *list, struct units_range range, struct budget *budget)
{
	if (!budget_room(budget, &list->range, &list->room, list->count + 1, sizeof(range)))
		return false;
	list->range[list->count++] = range;
	return true;
}

bool units_list_add_die(struct units_list *list, Dwarf_Die *die, struct units_range like,
                        struct budget *budget)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		like.low = low;
		like.high = high;
		if (!budget_work(budget, 1) || (low < high && !units_list_add(list, like, budget)))
			return false;
	}
	return true;
}

static int compare_unit_ranges(const void *left, const void *right)
{
	const struct units_range *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high > b->high ? -1 : a->high < b->high;
}

void units_list_sort(struct units_list *list)
{
	uint64_t reach = 0;

	if (list->count > 0)
		qsort(list->range, list->count, sizeof(*list->range), compare_unit_ranges);
	for (size_t i = 0; i < list->count; i++) {
		reach = list->range[i].high > reach ? list->range[i].high : reach;
		list->range[i].reach = reach;
	}
}

const struct units_range *units_range_at(const struct units_list *list, uint64_t va)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->range[middle].low <= va)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && list->range[low - 1].reach > va; low--)
		if (list->range[low - 1].high > va)
			return &list->range[low - 1];
	return NULL;
}
