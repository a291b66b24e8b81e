/* SPDX-License-Identifier: MIT */
/*
 * Where the code of DWARF's units, functions and inlined calls is.  The tree of a unit is walked
 * once, when its code is first asked for, and kept as flat arrays. The list of all units is read when an address is asked
 * for that .debug_aranges does not have.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_UNITS_H
#define CAIRN_DEBUGINFO_LOOKUP_UNITS_H

#include "line_tables.h"
#include "unit_addresses.h"

#include "debuginfo/dwarf/dies.h"
#include "debuginfo/libdw/libdw_ranges.h"

/* Steps of one search that are free; those beyond draw from the budget.  Ranges of compilers take some 20. */
enum { UNITS_STEPS_FREE = 256 };

/* Addresses [low, high) of one entry; an entry may have several. */
struct units_range {
	uint64_t low, high;
	/*
	 * The highest end and the lowest start among this one and those before it, as many as the lowest bit of
	 * its number, counted from 1, is worth: the blocks of a Fenwick tree.
	 */
	uint64_t reach, least;
	Dwarf_Off die; /* of the function or inlined call, in .debug_info */
	union {
		size_t unit; /* of a unit: its number */
		size_t first; /* of a function: its inlined calls, outer before inner, from this one on */
	};
	size_t behind;
};

struct units_list {
	struct units_range *range;
	size_t count, room;
};

struct unit {
	Dwarf_Die die;
	Dwarf_Off offset; /* in .debug_info */
	bool was_read;
	struct units_list functions; /* ascending */
	struct units_list inlined;   /* in the order of the tree */
	struct line_table *lines;    /* NULL until it is asked for */
};

/* What the tables of abbreviations of the units cost; neighbours may share one. */
struct abbrev_costs {
	const struct dwarf_sections *sections;
	Dwarf_Off table; /* that was counted last; all ones: none */
	uint64_t count;
	uint64_t widest; /* attributes of one of its entries */
};

struct units {
	Dwarf *dwarf;
	struct unit_addresses addresses;
	bool all_listed; /* all units were looked at for their addresses */
	struct abbrev_costs costs;
	struct unit *unit;
	size_t count, room;
	size_t read;              /* how many were read */
	struct units_list ranges; /* of the units, ascending */
	struct libdw_ranges by_libdw;
	struct line_tables lines;
	struct dies_file file; /* for our own decoder */
	struct dies_unit loaded;
	struct budget *budget; /* what is read draws from it */
};

/* `file` has the DWARF; units_finish() comes first, where something was open. */
void units_open(struct units *units, Dwarf *dwarf, struct cairn_bytes file, struct budget *budget);
void units_finish(struct units *units);

/* All units with their addresses; false, and none, when memory is short, or the budget used up. */
bool units_list_all(struct units *units);

/* False when memory is short, or the budget used up. */
bool units_list_add(struct units_list *list, struct units_range range, struct budget *budget);

/* The same with all addresses of an entry. */
bool units_list_add_die(struct units_list *list, struct libdw_ranges *ranges, Dwarf_Die *die,
                        struct units_range like, struct budget *budget);

/* The same with those of a list. */
bool units_list_add_list(struct units_list *list, struct dwarf_ranges *ranges,
                         struct units_range like, struct budget *budget);

/* The unit whose code holds `va`, with its functions; NULL when there is none. */
struct unit *units_find(struct units *units, uint64_t va);

/* The line table of a unit; NULL when it has none, memory is short, or the budget used up. */
struct line_table *units_lines(struct units *units, struct unit *unit);

/* Makes a list ascend, and fills in its blocks. */
void units_list_sort(struct units_list *list);

/* Fills in the blocks of a list that keeps its order. */
void units_list_mark(struct units_list *list);

/*
 * Goes down from range number `from` (from 1) to the first one above `floor` that holds `va`, and returns its number, or
 * `floor` when there is none. *steps grows with the ranges that were looked at: few, unless they overlap without order.
 */
size_t units_range_below(const struct units_list *list, size_t from, size_t floor, uint64_t va,
                         uint64_t *steps);

/* The range among `list`, ascending, that holds `va` and begins last; NULL when there is none. */
const struct units_range *units_range_at(const struct units_list *list, uint64_t va);

#endif
