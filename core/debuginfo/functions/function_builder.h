/* SPDX-License-Identifier: MIT */
/*
 * Assembles functions from a unit walk and passes them to the sink: one for each range, with its
 * rows and the inlined calls clipped to it. The same calls in the same order give the same functions.
 *
 *	function_builder_begin(&builder, &unit, &sink);
 *	function_builder_range(&builder, range);
 *	function_builder_open_function(&builder, &function);
 *	function_builder_range(&builder, range);
 *	function_builder_open_inline(&builder, &call);
 *	function_builder_close(&builder);
 *	function_builder_close(&builder);        here the function is handed over
 *
 * A function inside another is its own.  The ranges of an inlined call grow by those of the calls
 * inside it: the chain of calls at an address is that of the entries around the innermost one that
 * holds it, whatever their own ranges say.  (GCC with -gdwarf-4 writes an empty pair at the unit's
 * start, which reads as the end of the list; other producers move code out of the outer call.)
 */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_FUNCTION_BUILDER_H
#define CAIRN_DEBUGINFO_FUNCTIONS_FUNCTION_BUILDER_H

#include "given_functions.h"

#include "debuginfo/budget/summary.h"
#include "debuginfo/dwarf/lines.h"
#include "debuginfo/elf/aliases.h"

struct dies_file;

/* Names that DWARF has for a function. */
struct function_builder_names {
	struct cairn_bytes linkage; /* empty: none */
	struct cairn_bytes name;    /* qualified where the language does; empty: none */
	struct cairn_bytes plain;   /* the same without what qualifies it */
	uint32_t path_size;         /* of the function_path() of the linkage name; 0: none */
};

struct function_builder_function {
	struct function_builder_names names;
	struct lines_hint hint; /* which rows are meant */
};

struct function_builder_inline {
	struct cairn_bytes name;
	uint32_t call_file, call_line, call_column;
	bool has_entry; /* else it is entered where the first range is that was reported */
	uint64_t entry;
	/* The entry that names it, until a function with a part of it is handed over; NULL: it does not wait. */
	const struct dies_file *late_file;
	uint64_t late;
	uint32_t path_size; /* of the function_path() of the name; 0: none */
};

/* An entry that has been opened and not closed. */
struct function_builder_open {
	bool is_function;
	struct function_builder_function function;
	size_t node, range, call, scope; /* the first of its own */
	size_t own_ranges;
};

struct function_builder_node {
	struct function_builder_inline call;
	uint32_t depth;
	size_t parent;        /* number of a node, FUNCTION_BUILDER_NO_NODE */
	size_t range, ranges; /* in builder.range */
	size_t order;         /* among nodes and scopes, as they were opened */
};

#define FUNCTION_BUILDER_NO_NODE SIZE_MAX

/* A range of a scope of variables. */
struct function_builder_scope {
	struct cairn_range range;
	size_t order;
};

struct function_builder_call {
	uint64_t return_va;
	struct cairn_bytes callee; /* empty: not known */
};

/* The code that is asked for, where that is not all of it. */
struct function_builder_focus {
	const struct cairn_range *range; /* ascending */
	size_t count;
	bool outside; /* functions inside of types and of other functions are left out */
	/* Before the names of a function in it are chosen: its symbols are to be among the aliases.  False: memory is short. */
	bool (*name)(void *context, uint64_t va);
	void *context;
};

struct function_builder {
	/* what it reads */
	const struct aliases *aliases;              /* or NULL */
	const struct function_builder_focus *focus; /* or NULL: all functions */
	const struct code_ranges *text;
	struct lines *lines;
	const struct function_sink *sink;
	struct program_summary *summary;
	uint64_t highest; /* address of the unit */
	enum cairn_name_style names;
	/* Names a call that waits for that.  False: memory is short, as ->status says. */
	bool (*name_call)(void *context, struct function_builder_inline *call);
	void *name_context;
	bool lends;                      /* whoever takes functions draws what it keeps of them */
	struct given_functions *earlier; /* NULL: of equal functions all are wanted */
	size_t unit;                     /* with `earlier`: the number of the unit */

	/* stacks of what belongs to open functions */
	struct function_builder_open *open;
	size_t opens, open_room;
	struct function_builder_node *node;
	size_t nodes, node_room;
	struct cairn_range *range;
	size_t ranges, range_room, pending; /* the last ones, of the entry that is opened next */
	struct function_builder_call *call;
	size_t calls, call_room;
	struct function_builder_scope *scope;
	size_t scopes, scope_room, order;

	/* of the function that is handed over */
	struct cairn_range *sort, *clipped;
	size_t sort_room, clipped_room;
	struct function_inline *inlined;
	size_t inlined_room;
	struct function_call *given;
	size_t given_room;
	uint64_t lost; /* inlined calls in it without an address, that nobody counted yet */
	struct breakpoint_rows *apart; /* scratch of breakpoint_rows_mark() */

	struct budget *budget;    /* set once */
	enum cairn_status status; /* not CAIRN_OK: what the sink returned, or NO_MEMORY */
	bool too_deep;            /* more entries were open than FUNCTION_BUILDER_DEPTH_MAX */
};

enum { FUNCTION_BUILDER_DEPTH_MAX = 512 }; /* entries open at a time */

/* What a function costs whoever keeps it, in bytes: the most that one of our writers needs. */
enum {
	FUNCTION_BUILDER_FUNCTION_COST = 256,
	FUNCTION_BUILDER_ROW_COST = 64,
	FUNCTION_BUILDER_INLINE_COST = 64,
	FUNCTION_BUILDER_RANGE_COST = 32,
	FUNCTION_BUILDER_CALL_COST = 32,
};

/*
 * A unit.  Entries may share long lists of ranges and functions may be above each other: each is
 * drawn from the budget as often as it is read, and what is handed over by what it costs to keep.
 */
void function_builder_begin(struct function_builder *builder, const struct dwarf_unit *unit,
                            const struct function_sink *sink);
void function_builder_finish(struct function_builder *builder);

/* One range of the entry that is opened next. */
bool function_builder_range(struct function_builder *builder, struct cairn_range range);
bool function_builder_list(struct function_builder *builder, struct dwarf_ranges *list);

/* These return false when the walk must end; ->status, ->too_deep and the budget show why. */
bool function_builder_open_function(struct function_builder *builder,
                                    const struct function_builder_function *function);
bool function_builder_open_inline(struct function_builder *builder,
                                  const struct function_builder_inline *call);
bool function_builder_call(struct function_builder *builder, uint64_t return_va,
                           struct cairn_bytes callee);
bool function_builder_close(struct function_builder *builder);

/* A scope of variables in the function, of the ranges that were reported before; it is not opened. */
bool function_builder_scope(struct function_builder *builder);

/*
 * Is no range of the function that would be opened next worth reading what is inside?  Each was given already, by
 * builder->earlier, or will be dropped; then they are counted.
 */
bool function_builder_was_given(struct function_builder *builder,
                                const struct function_builder_function *function);

/* Is there a function for inlined calls to be in? */
bool function_builder_in_function(const struct function_builder *builder);

/* Is there a range without a symbol at its start, so that DWARF's name is needed? */
bool function_builder_needs_name(const struct function_builder *builder);

/* Do the ranges that were reported for the next entry touch the code that is asked for? */
bool function_builder_is_asked(const struct function_builder *builder);

/* Ranges that were reported for an entry that is not opened. */
void function_builder_drop_ranges(struct function_builder *builder);

/* Draws what a function costs to keep; false when the budget is used up. */
bool function_builder_charge(struct function_builder *builder, const struct function *function);

#endif
