/* SPDX-License-Identifier: MIT */
/* Lists the address ranges of the units and flattens a unit's DIE tree into arrays on first use. */
#include "units.h"

#include "formats/dwarf/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	DEPTH_MAX = 256, /* of a unit's tree; compilers stay below 50 */
	ENTRY_BYTES = 4, /* of a step, where libdw walks over entries */
	/* Of an entry, which libdw visits again and again; they may take no bytes.  Compilers write
	 * fewer than 30. */
	ATTRIBUTES_MAX = 64,
	/* Bytes that libdw 0.188 allocates for a unit, and for each of its abbreviations. */
	UNIT_COST = 2048,
	ABBREV_COST = 64,
};

static bool add_range(struct units_list *list, struct units_range range, struct budget *budget)
{
	if (!budget_room(budget, &list->range, &list->room, list->count + 1, sizeof(range)))
		return false;
	list->range[list->count++] = range;
	return true;
}

/* All addresses of `like.die`. */
static bool add_ranges(struct units_list *list, struct units_range like, struct budget *budget)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(&like.die, at, &base, &low, &high)) > 0) {
		like.low = low;
		like.high = high;
		if (!budget_work(budget, 1) || (low < high && !add_range(list, like, budget)))
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
	if (!budget_room(units->budget, &units->unit, &units->room, units->count + 1,
	                 sizeof(*units->unit)))
		return false;
	units->unit[units->count] = (struct unit){ .die = die };
	return add_ranges(&units->ranges,
	                  (struct units_range){ .die = die, .unit = units->count++ },
	                  units->budget);
}

/* What the tables of abbreviations of the units cost; neighbours may share one. */
struct abbrev_costs {
	const struct dwarf_sections *sections;
	Dwarf_Off table; /* that was counted last; all ones: none */
	uint64_t count;
	uint64_t widest; /* attributes of one of its entries */
};

/* libdw has a copy of its abbreviations for each unit, also of a table that others use. */
static bool charge_unit(struct abbrev_costs *costs, Dwarf_CU *cu, struct budget *budget)
{
	Dwarf_Off table = 0;
	Dwarf_Die die;

	if (!dwarf_cu_die(cu, &die, NULL, &table, NULL, NULL, NULL, NULL))
		return budget_memory(budget, UNIT_COST);
	if (table != costs->table) {
		costs->table = table;
		costs->count = dwarf_count_table(costs->sections, table, &costs->widest);
		if (!budget_work(budget,
		                 costs->widest > ATTRIBUTES_MAX ? UINT64_MAX : costs->count))
			return false;
	}
	return budget_memory(budget, UNIT_COST + costs->count * ABBREV_COST);
}

bool units_read(struct units *units, Dwarf *dwarf, struct budget *budget)
{
	struct abbrev_costs costs = { .sections = &units->lines.sections, .table = UINT64_MAX };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	*units = (struct units){ .budget = budget };
	line_tables_open(&units->lines, dwarf, budget);
	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (!charge_unit(&costs, cu, budget) ||
		    (dwarf_tag(&die) == DW_TAG_compile_unit && !add_unit(units, die))) {
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
	line_tables_finish(&units->lines);
	*units = (struct units){ .budget = units->budget };
}

/* A function is complete when its inlined calls are: it gets their numbers after the walk. */
struct walk {
	struct unit *unit;
	struct budget *budget;
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
	return add_ranges(&walk->unit->inlined, (struct units_range){ .die = *die }, walk->budget);
}

static bool leave_unit_die(struct walk *walk)
{
	Dwarf_Die *die = &walk->path[walk->depth];

	if (dwarf_tag(die) != DW_TAG_subprogram)
		return true;
	return add_ranges(&walk->unit->functions,
	                  (struct units_range){ .die = *die,
	                                        .first = walk->first[walk->depth],
	                                        .behind = walk->unit->inlined.count },
	                  walk->budget);
}

/*
 * The entry after this one; damage may lead back, and for ever.  Without an attribute for it libdw
 * walks over all that is below.
 */
static bool next_sibling(struct budget *budget, Dwarf_Die *die, Dwarf_Die *next)
{
	Dwarf_Off from = dwarf_dieoffset(die);

	if (dwarf_siblingof(die, next) != 0 || dwarf_dieoffset(next) <= from)
		return false;
	bool walked = dwarf_haschildren(die) == 1 && !dwarf_hasattr(die, DW_AT_sibling);
	return budget_work(budget, walked ? (dwarf_dieoffset(next) - from) / ENTRY_BYTES : 1);
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
		if (next_sibling(walk->budget, &walk->path[walk->depth], &next)) {
			*ok = enter_unit_die(walk, &next);
			return true;
		}
		walk->depth--;
	}
	return false;
}

static bool read_unit(struct unit *unit, struct budget *budget)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	bool ok = walk != NULL;

	if (ok) {
		walk->unit = unit;
		walk->budget = budget;
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
		units->read++;
		read_unit(unit, units->budget);
	}
	return unit;
}

struct line_table *units_lines(struct units *units, struct unit *unit)
{
	if (!unit->lines)
		unit->lines = line_tables_of_unit(&units->lines, &unit->die);
	return unit->lines;
}
