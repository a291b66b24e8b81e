/* SPDX-License-Identifier: MIT */
/*
 * Reads the functions and inlined calls of a unit by our own decoder, which passes over all other entries:
 * libdw takes a lock for each entry that it is asked about.
 */
#include "unit_code.h"

#include "debuginfo/dwarf/die_ranges.h"

/* A function whose end was not reached. */
struct open_function {
	uint64_t depth;
	struct units_range like;
	struct die die;
};

enum {
	NESTED_MAX = 16, /* functions inside each other; compilers write two or three */
	DEPTH_MAX = 256, /* of a unit's tree; compilers stay below 50 */
	ENTRY_BYTES = 4, /* of a step: what is passed over costs little */
};

struct code_walk {
	struct unit *unit;
	const struct dies_unit *loaded;
	struct budget *budget;
	struct open_function open[NESTED_MAX];
	size_t depth; /* of open[] */
};

static bool add_code_range(struct code_walk *walk, struct units_list *list,
                           struct units_range range)
{
	return budget_work(walk->budget, 1) &&
	       (range.low >= range.high || units_list_add(list, range, walk->budget));
}

/* All addresses of an entry; false when the budget is used up. */
static bool add_code_ranges(struct code_walk *walk, struct units_list *list, const struct die *die,
                            struct units_range like)
{
	struct cairn_range range;

	if (die_pc_bounds(walk->loaded, die, &range)) {
		like.low = range.low;
		like.high = range.high;
		return add_code_range(walk, list, like);
	}
	if (!die_has(die, DIES_RANGES) || !die_has_range_list(die))
		return true;
	struct dwarf_ranges ranges =
		dwarf_open_ranges(&walk->loaded->file->sections, &walk->loaded->unit,
	                          &walk->loaded->bases, &die->at[DIES_RANGES]);
	return units_list_add_list(list, &ranges, like, walk->budget);
}

/* Functions that end before an entry at this depth have all of their calls. */
static bool close_functions(struct code_walk *walk, uint64_t depth)
{
	while (walk->depth > 0 && walk->open[walk->depth - 1].depth >= depth) {
		struct open_function *function = &walk->open[--walk->depth];
		function->like.behind = walk->unit->inlined.count;
		if (!add_code_ranges(walk, &walk->unit->functions, &function->die, function->like))
			return false;
	}
	return true;
}

static bool take_code_entry(struct code_walk *walk, const struct dwarf_entries *entries)
{
	struct units_range like = { .die = dwarf_entry_offset(entries) };
	struct die die;

	if (!close_functions(walk, entries->depth))
		return false;
	if (!entries->abbrev || entries->depth >= DEPTH_MAX)
		return true;
	die.has = 0;
	dies_read(entries, &die);
	if (die.tag == DWARF_TAG_INLINED_SUBROUTINE)
		return add_code_ranges(walk, &walk->unit->inlined, &die, like);
	like.first = walk->unit->inlined.count;
	if (walk->depth < NESTED_MAX)
		walk->open[walk->depth++] = (struct open_function){ entries->depth, like, die };
	return true;
}

static void walk_code_entries(struct code_walk *walk)
{
	const struct dies_unit *loaded = walk->loaded;
	struct dwarf_entries entries = dwarf_entries(&loaded->file->sections, &loaded->unit,
	                                             &loaded->abbrevs, loaded->unit.first);
	uint64_t from = loaded->unit.first;
	bool ok = true;

	while (ok && dwarf_next_marked(&entries, DWARF_MARK_CODE | DWARF_MARK_INLINED, 0)) {
		ok = budget_work(walk->budget,
		                 1 + (dwarf_entry_offset(&entries) - from) / ENTRY_BYTES) &&
		     take_code_entry(walk, &entries);
		from = dwarf_entry_offset(&entries);
	}
	if (ok)
		(void)!close_functions(walk, 0);
}

bool unit_code_read(struct units *units, struct unit *unit)
{
	struct code_walk walk = { .unit = unit, .loaded = &units->loaded, .budget = units->budget };
	struct cairn_fault fault;
	struct dwarf_unit header;
	const char *where;
	uint64_t at = unit->offset;

	units->file.sections = units->lines.sections;
	units->loaded.budget = units->budget;
	if (!dwarf_read_unit(&units->file.sections, &at, &header, &fault) || header.version == 0 ||
	    dies_load(&units->loaded, &units->file, &header, &fault, &where) != CAIRN_OK)
		return false;
	walk_code_entries(&walk);
	return true;
}
