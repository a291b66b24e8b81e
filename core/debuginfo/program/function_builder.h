/* SPDX-License-Identifier: MIT */
/*
 * Assembles functions from a unit walk and passes them to the sink: one per range, with its rows
 * and the inlined calls clipped to it. The result depends only on the sequence of calls.
 *
 *	function_builder_begin(&builder, &unit, &sink);
 *	function_builder_range(&builder, range);
 *	function_builder_open_function(&builder, &function);
 *	function_builder_range(&builder, range);
 *	function_builder_open_inline(&builder, &call);
 *	function_builder_close(&builder);
 *	function_builder_close(&builder);        here the function is handed over
 *
 * A function nested in another one is separate. The ranges of an inlined call are extended by the
 * ranges of the calls inside it, so that the chain of calls at an address consists of all entries
 * around the innermost one that contains the address. (GCC with -gdwarf-4 writes an empty pair at
 * the unit's start, which reads as the end of the list; other producers move code out of the
 * outer call.)
 */
#ifndef CAIRN_DEBUGINFO_PROGRAM_FUNCTION_BUILDER_H
#define CAIRN_DEBUGINFO_PROGRAM_FUNCTION_BUILDER_H

#include "code_symbols.h"

#include "debuginfo/dwarf/lines.h"
#include "debuginfo/elf/budget.h"
#include "debuginfo/elf/symbol_table.h"

struct dies_file;

struct function_builder_names {
	struct cairn_bytes linkage; /* linkage name; may be empty */
	struct cairn_bytes name;    /* qualified if the language does that; may be empty */
	struct cairn_bytes plain;   /* name without its scopes */
	/* size of the linkage name's function_path(), or 0 */
	uint32_t path_size;
};

struct function_builder_function {
	struct function_builder_names names;
	struct lines_hint hint; /* selects the function's rows in the line table */
};

struct function_builder_inline {
	struct cairn_bytes name;
	uint32_t call_file, call_line, call_column;
	bool has_entry; /* if false, the entry is the low end of the first reported range */
	uint64_t entry;
	/*
	 * The entry with the name, which is read only when a function with a part of this call is
	 * emitted. NULL if `name` is set.
	 */
	const struct dies_file *late_file;
	uint64_t late;
	uint32_t path_size; /* size of the name's function_path(), or 0 */
};

struct function_builder_open {
	bool is_function;
	struct function_builder_function function;
	/* indices of the first elements of this function or call */
	size_t node, range, call, scope;
	size_t own_ranges;
};

struct function_builder_node {
	struct function_builder_inline call;
	uint32_t depth;
	size_t parent;        /* index of a node, or FUNCTION_BUILDER_NO_NODE */
	size_t range, ranges; /* first index and count in builder.range */
	size_t order;         /* order of opening, among nodes and scopes */
};

#define FUNCTION_BUILDER_NO_NODE SIZE_MAX

struct function_builder_scope {
	struct cairn_range range;
	size_t order;
};

struct function_builder_call {
	uint64_t return_va;
	struct cairn_bytes callee; /* empty if unknown */
};

/* Restricts reading to some of the code. */
struct function_builder_focus {
	const struct cairn_range *range; /* ascending */
	size_t count;
	bool outside; /* skip functions inside types and other functions */
	/*
	 * Called before the name of a function in the ranges is chosen, to load the symbols at `va`
	 * into the aliases. Returns false if memory is short.
	 */
	bool (*name)(void *context, uint64_t va);
	void *context;
};

struct function_builder {
	/* inputs */
	const struct aliases *aliases;
	const struct function_builder_focus *focus; /* NULL for all functions */
	const struct code_ranges *text;
	struct lines *lines;
	const struct function_sink *sink;
	struct program_summary *summary;
	uint64_t highest; /* highest address of the unit's address size */
	enum cairn_name_style names;
	/*
	 * Reads the name of a call with `late_file`. Returns false if memory is short, and
	 * sets ->status.
	 */
	bool (*name_call)(void *context, struct function_builder_inline *call);
	void *name_context;
	bool lends; /* the consumer draws the memory that it keeps from the budget */
	struct recorded_functions *earlier; /* NULL to report copies of equal functions as well */
	size_t unit;                        /* number of the unit, if `earlier` is set */

	/* stacks for the open functions */
	struct function_builder_open *open;
	size_t opens, open_room;
	struct function_builder_node *node;
	size_t nodes, node_room;
	struct cairn_range *range;
	/* `pending`: ranges at the top for the entry that is opened next */
	size_t ranges, range_room, pending;
	struct function_builder_call *call;
	size_t calls, call_room;
	struct function_builder_scope *scope;
	size_t scopes, scope_room, order;

	/* buffers for the function that is emitted */
	struct cairn_range *sort, *clipped;
	size_t sort_room, clipped_room;
	struct function_inline *inlined;
	size_t inlined_room;
	struct function_call *given;
	size_t given_room;
	uint64_t lost; /* inlined calls without an address that were not reported yet */
	struct breakpoint_rows *apart; /* scratch memory of breakpoint_rows_mark() */

	struct budget *budget;
	enum cairn_status status; /* NO_MEMORY or the sink's status */
	bool too_deep;            /* nesting exceeded FUNCTION_BUILDER_DEPTH_MAX */
};

enum { FUNCTION_BUILDER_DEPTH_MAX = 512 };

/* Bytes that a function costs its consumer; the maximum over our writers. */
enum {
	FUNCTION_BUILDER_FUNCTION_COST = 256,
	FUNCTION_BUILDER_ROW_COST = 64,
	FUNCTION_BUILDER_INLINE_COST = 64,
	FUNCTION_BUILDER_RANGE_COST = 32,
	FUNCTION_BUILDER_CALL_COST = 32,
};

/*
 * Begin a unit. Entries may share long range lists and functions may overlap, so each is drawn from
 * the budget as often as it is read, and each emitted function by the cost of keeping it.
 */
void function_builder_begin(struct function_builder *builder, const struct dwarf_unit *unit,
                            const struct function_sink *sink);
void function_builder_finish(struct function_builder *builder);

/* Add a range, or a list of ranges, to the entry that is opened next. */
bool function_builder_range(struct function_builder *builder, struct cairn_range range);
bool function_builder_list(struct function_builder *builder, struct dwarf_ranges *list);

/* These return false to end the walk; ->status, ->too_deep and the budget have the reason. */
bool function_builder_open_function(struct function_builder *builder,
                                    const struct function_builder_function *function);
bool function_builder_open_inline(struct function_builder *builder,
                                  const struct function_builder_inline *call);
bool function_builder_call(struct function_builder *builder, uint64_t return_va,
                           struct cairn_bytes callee);
bool function_builder_close(struct function_builder *builder);

/* Add a variable scope with the pending ranges. It is not opened. */
bool function_builder_scope(struct function_builder *builder);

/*
 * Return true if no pending range of the next function is worth reading, because each was already
 * given (see builder->earlier) or will be dropped. Counts them in that case.
 */
bool function_builder_was_given(struct function_builder *builder,
                                const struct function_builder_function *function);

bool function_builder_in_function(const struct function_builder *builder);

/* Return true if a pending range begins without a symbol, so that the name from DWARF is needed. */
bool function_builder_needs_name(const struct function_builder *builder);

/* Return true if the pending ranges touch the code in `focus`. */
bool function_builder_is_asked(const struct function_builder *builder);

void function_builder_drop_ranges(struct function_builder *builder);

/* Draw the cost of keeping a function. Returns false if the budget is exhausted. */
bool function_builder_charge(struct function_builder *builder, const struct function *function);

#endif
