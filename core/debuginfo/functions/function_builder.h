/* SPDX-License-Identifier: MIT */
/*
 * Puts functions together from what a walk over a unit tells, and hands them to the sink: one for
 * each range, with its rows, and its inlined calls clipped to it.  The walk may be of either kind,
 * ours or libdw's; what is said in the same order gives the same functions.
 *
 *	harvest_begin(&harvest, &lines, &sink);
 *	harvest_range(&harvest, low, high);
 *	harvest_open_function(&harvest, &function);
 *	harvest_range(&harvest, low, high);
 *	harvest_open_inline(&harvest, &call);
 *	harvest_close(&harvest);
 *	harvest_close(&harvest);        here the function is handed over
 *
 * A function inside another is its own.  The ranges of an inlined call grow by those of the calls
 * inside it: the chain of calls at an address is that of the entries around the innermost one that
 * holds it, whatever their own ranges say.  (GCC with -gdwarf-4 writes an empty pair at the unit's
 * start, which reads as the end of the list; other producers move code out of the outer call.)
 */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_FUNCTION_BUILDER_H
#define CAIRN_DEBUGINFO_FUNCTIONS_FUNCTION_BUILDER_H

#include "debuginfo/budget/summary.h"
#include "debuginfo/dwarf/lines.h"
#include "debuginfo/elf/aliases.h"

/* Names that DWARF has for a function. */
struct harvest_names {
	struct cairn_bytes linkage; /* empty: none */
	struct cairn_bytes name;    /* qualified where the language does; empty: none */
	struct cairn_bytes plain;   /* the same without what qualifies it */
};

struct harvest_function {
	struct harvest_names names;
	struct lines_wish wish; /* which rows are meant */
};

struct harvest_inline {
	struct cairn_bytes name;
	uint32_t call_file, call_line;
};

/* An entry that has been opened and not closed. */
struct harvest_open {
	bool is_function;
	struct harvest_function function;
	size_t node, range, call, scope; /* the first of its own */
	size_t own_ranges;
};

struct harvest_node {
	struct harvest_inline call;
	uint32_t depth;
	size_t parent;        /* number of a node, HARVEST_NO_NODE */
	size_t range, ranges; /* in harvest.range */
	size_t order;         /* among nodes and scopes, as they were opened */
};

#define HARVEST_NO_NODE SIZE_MAX

/* A range of a scope of variables. */
struct harvest_scope {
	struct cairn_range range;
	size_t order;
};

struct harvest_call {
	uint64_t return_va;
	struct cairn_bytes callee; /* empty: not known */
};

struct harvest {
	/* what it reads */
	const struct aliases *aliases; /* or NULL */
	const struct spans *text;
	struct lines *lines;
	const struct function_sink *sink;
	struct program_summary *summary;
	uint64_t highest; /* address of the unit */

	/* stacks of what belongs to open functions */
	struct harvest_open *open;
	size_t opens, open_room;
	struct harvest_node *node;
	size_t nodes, node_room;
	struct cairn_range *range;
	size_t ranges, range_room, pending; /* the last ones, of the entry that is opened next */
	struct harvest_call *call;
	size_t calls, call_room;
	struct harvest_scope *scope;
	size_t scopes, scope_room, order;

	/* of the function that is handed over */
	struct cairn_range *sort, *clipped;
	size_t sort_room, clipped_room;
	struct function_inline *inlined;
	size_t inlined_room;
	struct function_call *given;
	size_t given_room;
	struct harvest_apart *apart; /* scratch of breakpoint_rows.c */

	struct budget *budget;    /* set once */
	enum cairn_status status; /* not CAIRN_OK: what the sink returned, or NO_MEMORY */
	bool too_deep;            /* more entries were open than HARVEST_DEPTH_MAX */
};

enum { HARVEST_DEPTH_MAX = 512 }; /* entries open at a time */

/* What a function costs whoever keeps it, in bytes: the most that one of our writers needs. */
enum {
	HARVEST_FUNCTION_COST = 256,
	HARVEST_ROW_COST = 64,
	HARVEST_INLINE_COST = 64,
	HARVEST_RANGE_COST = 32,
	HARVEST_CALL_COST = 32,
};

/*
 * A unit.  Entries may share long lists of ranges and functions may lie above each other: each is
 * drawn from the budget as often as it is read, and what is handed over by what it costs to keep.
 */
void harvest_begin(struct harvest *harvest, const struct dwarf_unit *unit,
                   const struct function_sink *sink);
void harvest_finish(struct harvest *harvest);

/* One range of the entry that is opened next. */
bool harvest_range(struct harvest *harvest, struct cairn_range range);

/* These return false when the walk must end: ->status, ->too_deep and the budget tell why. */
bool harvest_open_function(struct harvest *harvest, const struct harvest_function *function);
bool harvest_open_inline(struct harvest *harvest, const struct harvest_inline *call);
bool harvest_call(struct harvest *harvest, uint64_t return_va, struct cairn_bytes callee);
bool harvest_close(struct harvest *harvest);

/* A scope of variables in the function, of the ranges that were told before; it is not opened. */
bool harvest_scope(struct harvest *harvest);

/* Is there a function for inlined calls to be in? */
bool harvest_in_function(const struct harvest *harvest);

/* Is there a range without a symbol at its start, so that DWARF's name is needed? */
bool harvest_needs_name(const struct harvest *harvest);

/* Ranges that were told for an entry that is not opened. */
void harvest_drop_ranges(struct harvest *harvest);

#endif
