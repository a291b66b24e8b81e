/* SPDX-License-Identifier: MIT */
/* Lists the address ranges of the units and flattens a unit's DIE tree into arrays on first use. */
#include "units.h"

#include "base/array_grow.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	FIRST_ROOM = 4,       /* most units have few functions */
	DEPTH_MAX = 256,      /* of a unit's tree; compilers stay below 50 */
	RANGES_MAX = 1 << 24, /* in one list: entries may share long lists of ranges */
};

static bool add_range(struct units_list *list, struct units_range range)
{
	if (list->count == RANGES_MAX ||
	    !array_grow_from(&list->range, &list->room, list->count + 1, sizeof(*list->range),
	                     FIRST_ROOM))
		return false;
	list->range[list->count++] = range;
	return true;
}

/* All addresses of `like.die`. */
static bool add_ranges(struct units_list *list, struct units_range like)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(&like.die, at, &base, &low, &high)) > 0) {
		like.low = low;
		like.high = high;
		if (low < high && !add_range(list, like))
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

static void sort_unit_ranges(struct units_list *list)
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

static bool add_unit(struct units *units, Dwarf_Die die)
{
	if (!array_grow_from(&units->unit, &units->room, units->count + 1, sizeof(*units->unit),
	                     FIRST_ROOM))
		return false;
	units->unit[units->count] = (struct unit){ .die = die };
	return add_ranges(&units->ranges,
	                  (struct units_range){ .die = die, .unit = units->count++ });
}

bool units_read(struct units *units, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	*units = (struct units){ .unit = NULL };
	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (dwarf_tag(&die) == DW_TAG_compile_unit && !add_unit(units, die)) {
			units_finish(units);
			return false;
		}
	}
	sort_unit_ranges(&units->ranges);
	return true;
}

void units_finish(struct units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		free(units->unit[i].functions.range);
		free(units->unit[i].inlined.range);
	}
	free(units->unit);
	free(units->ranges.range);
	*units = (struct units){ .unit = NULL };
}

/* A function is known when its inlined calls are: it gets their numbers behind the walk. */
struct walk {
	struct unit *unit;
	size_t first[DEPTH_MAX]; /* inlined calls before the entry at each depth */
	Dwarf_Die path[DEPTH_MAX];
	size_t depth;
};

static bool enter_unit_die(struct walk *walk, Dwarf_Die *die)
{
	walk->path[walk->depth] = *die;
	walk->first[walk->depth] = walk->unit->inlined.count;
	if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
		return true;
	return add_ranges(&walk->unit->inlined, (struct units_range){ .die = *die });
}

static bool leave_unit_die(struct walk *walk)
{
	Dwarf_Die *die = &walk->path[walk->depth];

	if (dwarf_tag(die) != DW_TAG_subprogram)
		return true;
	return add_ranges(&walk->unit->functions,
	                  (struct units_range){ .die = *die,
	                                        .first = walk->first[walk->depth],
	                                        .behind = walk->unit->inlined.count });
}

/* The entry behind this one; damage may send it backwards, and for ever. */
static bool next_sibling(Dwarf_Die *die, Dwarf_Die *next)
{
	return dwarf_siblingof(die, next) == 0 && dwarf_dieoffset(next) > dwarf_dieoffset(die);
}

/* On to the next entry in the tree, leaving those that end; false behind the last. */
static bool step_unit_walk(struct walk *walk, bool *ok)
{
	Dwarf_Die next;

	if (walk->depth + 1 < DEPTH_MAX && dwarf_child(&walk->path[walk->depth], &next) == 0) {
		walk->depth++;
		*ok = enter_unit_die(walk, &next);
		return true;
	}
	while (walk->depth > 0) {
		*ok = leave_unit_die(walk);
		if (!*ok)
			return false;
		if (next_sibling(&walk->path[walk->depth], &next)) {
			*ok = enter_unit_die(walk, &next);
			return true;
		}
		walk->depth--;
	}
	return false;
}

static bool read_unit(struct unit *unit)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	bool ok = walk != NULL;

	if (ok) {
		walk->unit = unit;
		walk->path[0] = unit->die;
		while (ok && step_unit_walk(walk, &ok))
			continue;
	}
	free(walk);
	sort_unit_ranges(&unit->functions);
	return ok;
}

struct unit *units_find(struct units *units, uint64_t va)
{
	const struct units_range *range = units_range_at(&units->ranges, va);

	if (!range)
		return NULL;
	struct unit *unit = &units->unit[range->unit];
	if (!unit->was_read) {
		unit->was_read = true;
		read_unit(unit);
	}
	return unit;
}
