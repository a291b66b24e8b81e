/* SPDX-License-Identifier: MIT */
/* Reads the functions and inlined calls of a unit with libdw, if our own decoder cannot read the unit. */
#include "unit_code.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	DEPTH_MAX = 256, /* of a unit's tree; compilers stay below 50 */
};

/* A function is complete when its inlined calls are: it gets their numbers after the walk. */
struct walk {
	struct unit *unit;
	struct libdw_ranges *ranges;
	struct budget *budget;
	size_t first[DEPTH_MAX]; /* inlined calls before the entry at each depth */
	Dwarf_Die path[DEPTH_MAX];
	uint64_t before[DEPTH_MAX]; /* entries before the one at each depth */
	uint64_t entries;
	size_t depth;
};

static bool enter_unit_die(struct walk *walk, Dwarf_Die *die)
{
	walk->path[walk->depth] = *die;
	walk->first[walk->depth] = walk->unit->inlined.count;
	walk->before[walk->depth] = walk->entries++;
	if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
		return true;
	return units_list_add_die(&walk->unit->inlined, walk->ranges, die,
	                          (struct units_range){ .die = dwarf_dieoffset(die) },
	                          walk->budget);
}

static bool leave_unit_die(struct walk *walk)
{
	Dwarf_Die *die = &walk->path[walk->depth];

	if (dwarf_tag(die) != DW_TAG_subprogram)
		return true;
	return units_list_add_die(&walk->unit->functions, walk->ranges, die,
	                          (struct units_range){ .die = dwarf_dieoffset(die),
	                                                .first = walk->first[walk->depth],
	                                                .behind = walk->unit->inlined.count },
	                          walk->budget);
}

/*
 * The entry after this one; damage may lead back, and for ever.  Without an attribute for it libdw
 * walks over all that is below, also where it finds none.
 */
static bool next_sibling(struct walk *walk, Dwarf_Die *next)
{
	Dwarf_Die *die = &walk->path[walk->depth];
	Dwarf_Off from = dwarf_dieoffset(die);
	bool walked = dwarf_haschildren(die) == 1 && !dwarf_hasattr(die, DW_AT_sibling);

	return budget_work(walk->budget, walked ? walk->entries - walk->before[walk->depth] : 1) &&
	       dwarf_siblingof(die, next) == 0 && dwarf_dieoffset(next) > from;
}

/* Goes to the next entry in the tree, and leaves those that end; false past the last. */
static bool step_unit_walk(struct walk *walk, bool *ok)
{
	Dwarf_Die next;

	*ok = budget_work(walk->budget, 1);
	if (!*ok)
		return false;
	if (walk->depth + 1 < DEPTH_MAX && dwarf_child(&walk->path[walk->depth], &next) == 0) {
		walk->depth++;
		*ok = enter_unit_die(walk, &next);
		return true;
	}
	while (walk->depth > 0) {
		*ok = leave_unit_die(walk);
		if (!*ok)
			return false;
		if (next_sibling(walk, &next)) {
			*ok = enter_unit_die(walk, &next);
			return true;
		}
		walk->depth--;
	}
	return false;
}

void unit_code_read_by_libdw(struct units *units, struct unit *unit)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	bool ok = walk != NULL;

	if (ok) {
		walk->unit = unit;
		walk->ranges = &units->by_libdw;
		walk->budget = units->budget;
		walk->path[0] = unit->die;
		while (ok && step_unit_walk(walk, &ok))
			continue;
	}
	free(walk);
}
