/* SPDX-License-Identifier: MIT */
/*
 * Assembles functions while the DIEs of a unit are walked and passes them to the sink: one function
 * per range, with rows and inlined calls clipped to the range. The result depends only on the
 * sequence of calls.
 *
 *	function_builder_begin(&builder, &unit, &sink);
 *	function_builder_range(&builder, range);
 *	function_builder_open_function(&builder, &function);
 *	function_builder_range(&builder, range);
 *	function_builder_open_inline(&builder, &call);
 *	function_builder_close(&builder);
 *	function_builder_close(&builder);        passes the function to the sink
 *
 * A function nested in another one is emitted separately. The ranges of an inlined call are
 * extended by the ranges of the calls inside it, so that the call chain at an address consists of
 * the innermost call that contains the address and all its ancestors. DWARF does not always have
 * this property: GCC with -gdwarf-4 writes an empty range at the start of the unit as a pair of
 * zeros, which ends the range list early, and other producers move code out of the outer call.
 */
#ifndef CAIRN_DEBUGINFO_FUNCTION_BUILDER_H
#define CAIRN_DEBUGINFO_FUNCTION_BUILDER_H

#include "code_symbols.h"

#include "debuginfo/budget.h"
#include "debuginfo/lines.h"
#include "debuginfo/symbol_table.h"

struct dies_file;

struct function_builder_names {
	struct cairn_bytes linkage;
	struct cairn_bytes name; /* name, qualified if the language qualifies names; may be empty */
	struct cairn_bytes plain;
	uint32_t path_size;
};

struct function_builder_function {
	struct function_builder_names names;
	struct lines_hint hint;
};

struct function_builder_inline {
	struct cairn_bytes name;
	uint32_t call_file, call_line, call_column;
	/*
	 * `entry` is known; otherwise, the start of the first reported range is used as the entry
	 */
	bool has_entry;
	uint64_t entry;
	/*
	 * File and offset of the DIE with the name; the file is NULL if `name` is set. The name is
	 * read only if a function that contains some code of this call is emitted.
	 */
	const struct dies_file *late_file;
	uint64_t late;
	uint32_t path_size;
};

struct function_builder_open {
	bool is_function;
	struct function_builder_function function;
	/* indices of the first element of this function or call in each stack */
	size_t node, range, call, scope;
	size_t own_ranges;
};

struct function_builder_node {
	struct function_builder_inline call;
	uint32_t depth;
	size_t parent;
	size_t range, ranges;
	size_t order; /* position in the sequence of opened nodes and scopes */
};

#define FUNCTION_BUILDER_NO_NODE SIZE_MAX

struct function_builder_scope {
	struct cairn_range range;
	size_t order;
};

struct function_builder_call {
	uint64_t return_va;
	struct cairn_bytes callee;
};

/* Restricts reading to functions in some ranges of code. */
struct function_builder_focus {
	const struct cairn_range *range;
	size_t count;
	bool outside; /* skip functions inside types and inside other functions */
	/*
	 * Load the symbols at `va` into the aliases. Called before a function in the ranges is
	 * named. Returns false if allocation fails.
	 */
	bool (*name)(void *context, uint64_t va);
	void *context;
};

struct function_builder {
	const struct aliases *aliases;
	const struct function_builder_focus *focus;
	const struct code_ranges *text;
	struct lines *lines;
	const struct function_sink *sink;
	struct program_summary *summary;
	uint64_t highest; /* highest address that fits into the unit's address size */
	enum cairn_name_style names;
	/*
	 * Read the name of a call whose `late_file` is set. Returns false and sets ->status if
	 * allocation fails.
	 */
	bool (*name_call)(void *context, struct function_builder_inline *call);
	void *name_context;
	/* the consumer draws the memory that it keeps from the budget, so the builder does not */
	bool lends;
	/* functions emitted so far, for skipping duplicates; NULL to emit duplicates as well */
	struct recorded_functions *earlier;
	size_t unit;

	struct function_builder_open *open;
	size_t opens, open_capacity;
	struct function_builder_node *node;
	size_t nodes, node_capacity;
	struct cairn_range *range;
	/*
	 * `pending` is the number of ranges at the end of the array that belong to the DIE opened
	 * next
	 */
	size_t ranges, range_capacity, pending;
	struct function_builder_call *call;
	size_t calls, call_capacity;
	struct function_builder_scope *scope;
	size_t scopes, scope_capacity, order;

	struct cairn_range *sort, *clipped;
	size_t sort_capacity, clipped_capacity;
	struct function_inline *inlined;
	size_t inlined_capacity;
	struct function_call *given;
	size_t given_capacity;
	uint64_t lost; /* inlined calls without an address that have not been counted yet */
	struct breakpoint_rows *apart;

	struct budget *budget;
	enum cairn_status status;
	bool too_deep;
};

enum { FUNCTION_BUILDER_DEPTH_MAX = 512 };

/* Bytes that a consumer needs to store each part of a function: the maximum over our writers. */
enum {
	FUNCTION_BUILDER_FUNCTION_COST = 256,
	FUNCTION_BUILDER_ROW_COST = 64,
	FUNCTION_BUILDER_INLINE_COST = 64,
	FUNCTION_BUILDER_RANGE_COST = 32,
	FUNCTION_BUILDER_CALL_COST = 32,
};

/*
 * Begin a unit. DIEs may share long range lists, and functions may overlap. Therefore every time a
 * range is read, it counts against the budget, and so does the memory that a consumer needs to keep
 * an emitted function.
 */
void function_builder_begin(struct function_builder *builder, const struct dwarf_unit *unit,
                            const struct function_sink *sink);
void function_builder_finish(struct function_builder *builder);

/* Add a range, or a list of ranges, to the DIE that is opened next. */
bool function_builder_range(struct function_builder *builder, struct cairn_range range);
bool function_builder_list(struct function_builder *builder, struct dwarf_ranges *list);

/*
 * The functions below return false to end the walk; ->status, ->too_deep and the budget tell why.
 */
bool function_builder_open_function(struct function_builder *builder,
                                    const struct function_builder_function *function);
bool function_builder_open_inline(struct function_builder *builder,
                                  const struct function_builder_inline *call);
bool function_builder_call(struct function_builder *builder, uint64_t return_va,
                           struct cairn_bytes callee);
bool function_builder_close(struct function_builder *builder);

/*
 * Add a lexical block that has variables and covers the pending ranges. Blocks need not be closed.
 */
bool function_builder_scope(struct function_builder *builder);

/*
 * Return true if the next function need not be read, because each of its pending ranges has already
 * been emitted (see builder->earlier) or will be dropped. In that case, adds the ranges to the
 * counts in builder->summary.
 */
bool function_builder_was_given(struct function_builder *builder,
                                const struct function_builder_function *function);

bool function_builder_in_function(const struct function_builder *builder);

/*
 * Return true if a pending range starts at an address without a symbol, so that the name from DWARF
 * is needed.
 */
bool function_builder_needs_name(const struct function_builder *builder);

bool function_builder_is_asked(const struct function_builder *builder);

void function_builder_drop_ranges(struct function_builder *builder);

bool function_builder_charge(struct function_builder *builder, const struct function *function);

#endif
