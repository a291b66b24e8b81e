/* SPDX-License-Identifier: MIT */
/* Builds functions during a walk over a unit's DIEs, which opens and closes functions and calls. */
#include "function_builder.h"

#include "base/bytes.h"
#include "base/range.h"
#include "base/sort.h"
#include "debuginfo/dies.h"

#include <stdlib.h>

static inline bool function_builder_spend_work(struct function_builder *builder, uint64_t steps)
{
	return budget_work(builder->budget, steps);
}

static inline bool function_builder_no_memory(struct function_builder *builder)
{
	builder->status = CAIRN_NO_MEMORY;
	return false;
}

static inline bool function_builder_reserve(struct function_builder *builder, void *array,
                                            size_t *capacity, size_t need, size_t size)
{
	return budget_capacity(builder->budget, array, capacity, need, size) ||
	       function_builder_no_memory(builder);
}

/*
 * Flags rows at which debuggers set separate breakpoints. For a line with several statements, a
 * debugger sets a breakpoint at the first statement in each block: a function, an inlined call, or
 * a lexical block. Consumers get the calls of a function but not its lexical blocks, so we flag the
 * rows where the line begins again in a different block of the same call.
 */

enum {
	/* maximum number of blocks tracked per line of a call; further blocks are ignored */
	SCOPES_MAX = 64,
	/* maximum number of rows to examine per address; compilers write about ten */
	ROWS_AT_ADDRESS = 64,
};

/* Range of a call or lexical block. A block inside another one has a higher order. */
struct block {
	struct cairn_range range;
	size_t order;
	bool is_call;
};

/*
 * A row that begins a statement, and its innermost call and block, given by their order; 0 denotes
 * the function itself.
 */
struct statement_start {
	uint32_t file, line;
	size_t call, block, row;
};

struct breakpoint_rows {
	struct block *block;
	size_t blocks, block_capacity;
	size_t open[FUNCTION_BUILDER_DEPTH_MAX];
	size_t opens;
	struct statement_start *spot;
	size_t spots, spot_capacity;
};

static void breakpoint_rows_free(struct breakpoint_rows *a)
{
	if (a) {
		free(a->block);
		free(a->spot);
	}
	free(a);
}

static int by_place(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	return ORDER_BY(a->range.low, b->range.low, ORDER_BY(a->order, b->order, 0));
}

static int by_line(const void *left, const void *right)
{
	const struct statement_start *a = left, *b = right;

	return ORDER_BY(a->file, b->file,
	                ORDER_BY(a->line, b->line,
	                         ORDER_BY(a->call, b->call, ORDER_BY(a->row, b->row, 0))));
}

static bool add_block(struct function_builder *h, struct cairn_range range, size_t order,
                      bool is_call)
{
	struct breakpoint_rows *a = h->apart;

	if (!function_builder_spend_work(h, 1) ||
	    !function_builder_reserve(h, &a->block, &a->block_capacity, a->blocks + 1,
	                              sizeof(*a->block)))
		return false;
	a->block[a->blocks++] = (struct block){ range, order, is_call };
	return true;
}

static bool gather_blocks(struct function_builder *h, const struct function_builder_open *open)
{
	struct breakpoint_rows *a = h->apart;

	a->blocks = a->opens = a->spots = 0;
	for (size_t i = open->scope; i < h->scopes; i++)
		if (!add_block(h, h->scope[i].range, h->scope[i].order, false))
			return false;
	for (size_t i = open->node; i < h->nodes; i++)
		for (size_t k = 0; k < h->node[i].ranges; k++)
			if (!add_block(h, h->range[h->node[i].range + k], h->node[i].order, true))
				return false;
	if (a->blocks > 1)
		qsort(a->block, a->blocks, sizeof(*a->block), by_place);
	return true;
}

/*
 * Close the blocks that end, and open the blocks that begin, at or before `va`. *next is the index
 * of the first block that has not been opened yet.
 */
static void move_to(struct breakpoint_rows *a, uint64_t va, size_t *next)
{
	for (; *next < a->blocks && a->block[*next].range.low <= va; ++*next) {
		const struct cairn_range *range = &a->block[*next].range;
		while (a->opens > 0 && a->block[a->open[a->opens - 1]].range.high <= range->low)
			a->opens--;
		if (range->high > va && a->opens < FUNCTION_BUILDER_DEPTH_MAX)
			a->open[a->opens++] = *next;
	}
	while (a->opens > 0 && a->block[a->open[a->opens - 1]].range.high <= va)
		a->opens--;
}

static struct statement_start statement_start_of(const struct breakpoint_rows *a,
                                                 const struct function_row *row, size_t number)
{
	struct statement_start spot = { .file = row->file, .line = row->line, .row = number };

	if (a->opens > 0)
		spot.block = a->block[a->open[a->opens - 1]].order;
	for (size_t i = a->opens; i > 0 && spot.call == 0; i--)
		if (a->block[a->open[i - 1]].is_call)
			spot.call = a->block[a->open[i - 1]].order;
	return spot;
}

/*
 * Return true if a statement in another file follows at the same address. Debuggers then drop this
 * row because it has no code: it gets no breakpoint and does not count as the first row of its
 * block.
 */
static bool is_left_without_code(const struct function_row *row, size_t number, size_t count)
{
	size_t end = count - number > ROWS_AT_ADDRESS ? number + ROWS_AT_ADDRESS : count;

	for (size_t i = number + 1; i < end && row[i].va == row[number].va; i++)
		if (row[i].statement && row[i].file != row[number].file)
			return true;
	return false;
}

static bool gather_spots(struct function_builder *h, const struct function_row *row, size_t count)
{
	struct breakpoint_rows *a = h->apart;
	size_t next = 0;

	for (size_t i = 0; i < count; i++) {
		if (!row[i].statement || is_left_without_code(row, i, count))
			continue;
		move_to(a, row[i].va, &next);
		if (!function_builder_spend_work(h, 1 + a->opens) ||
		    !function_builder_reserve(h, &a->spot, &a->spot_capacity, a->spots + 1,
		                              sizeof(*a->spot)))
			return false;
		a->spot[a->spots++] = statement_start_of(a, &row[i], i);
	}
	if (a->spots > 1)
		qsort(a->spot, a->spots, sizeof(*a->spot), by_line);
	return true;
}

static bool is_new(size_t block, size_t seen[SCOPES_MAX], size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		if (seen[i] == block)
			return false;
	if (*count == SCOPES_MAX)
		return false;
	seen[(*count)++] = block;
	return true;
}

/* Flag the rows of a function. Its nodes and lexical blocks must be normalized. */
static bool breakpoint_rows_mark(struct function_builder *h,
                                 const struct function_builder_open *open, struct function_row *row,
                                 size_t count)
{
	size_t seen[SCOPES_MAX], seens = 0;

	if (open->scope == h->scopes)
		return true;
	if (!h->apart)
		h->apart = calloc(1, sizeof(*h->apart));
	if (!h->apart)
		return function_builder_no_memory(h);
	if (!gather_blocks(h, open) || !gather_spots(h, row, count))
		return false;
	for (size_t i = 0; i < h->apart->spots; i++) {
		const struct statement_start *spot = &h->apart->spot[i];
		bool same = i > 0 && spot[-1].file == spot->file && spot[-1].line == spot->line &&
		            spot[-1].call == spot->call;
		seens = same ? seens : 0;
		if (!function_builder_spend_work(h, 1 + seens))
			return false;
		if (is_new(spot->block, seen, &seens) && same)
			row[spot->row].apart = true;
	}
	return true;
}

/* Return true if the list `inner`, which must be normalized, lies inside the list `outer`. */
static bool is_inside(const struct cairn_range *inner, size_t inners,
                      const struct cairn_range *outer, size_t outers)
{
	size_t at = 0;

	for (size_t i = 0; i < inners; i++) {
		while (at < outers && outer[at].high < inner[i].high)
			at++;
		if (at == outers || outer[at].low > inner[i].low)
			return false;
	}
	return true;
}

/*
 * Extend the ranges of `parent` by the ranges of `child`. Creates a new list at the end of
 * h->range.
 */
static bool widen_parent_ranges(struct function_builder *h, struct function_builder_node *parent,
                                const struct function_builder_node *child)
{
	size_t count = parent->ranges + child->ranges;

	if (!function_builder_spend_work(h, count) ||
	    !function_builder_reserve(h, &h->range, &h->range_capacity, h->ranges + count,
	                              sizeof(*h->range)))
		return false;
	struct cairn_range *range = h->range + h->ranges;
	for (size_t i = 0; i < parent->ranges; i++)
		range[i] = h->range[parent->range + i];
	for (size_t i = 0; i < child->ranges; i++)
		range[parent->ranges + i] = h->range[child->range + i];
	parent->range = h->ranges;
	parent->ranges = range_merge(range, count);
	h->ranges += parent->ranges;
	return true;
}

static struct cairn_range *find_first_range(const struct function_builder *h,
                                            const struct function_builder_node *node)
{
	return node->ranges > 0 ? &h->range[node->range] : NULL;
}

/*
 * Normalize the ranges of all calls starting at `first`, and extend each call's ranges by the
 * ranges of its descendants. Parents precede their children in the array.
 */
static bool widen_all_parents(struct function_builder *h, size_t first)
{
	if (!function_builder_spend_work(h, h->nodes - first))
		return false;
	for (size_t i = first; i < h->nodes; i++)
		/* a single range is never empty, so it is normalized already */
		if (h->node[i].ranges > 1)
			h->node[i].ranges =
				range_merge(find_first_range(h, &h->node[i]), h->node[i].ranges);
	h->lost = 0;
	for (size_t i = h->nodes; i-- > first;) {
		struct function_builder_node *child = &h->node[i];
		h->lost += child->ranges == 0;
		if (child->parent == FUNCTION_BUILDER_NO_NODE)
			continue;
		struct function_builder_node *parent = &h->node[child->parent];
		if (!function_builder_spend_work(h, child->ranges + parent->ranges))
			return false;
		if (!is_inside(find_first_range(h, child), child->ranges,
		               find_first_range(h, parent), parent->ranges) &&
		    !widen_parent_ranges(h, parent, child))
			return false;
	}
	return true;
}

static inline bool is_asked(const struct function_builder *h, const struct cairn_range *range,
                            size_t count)
{
	for (size_t i = 0; h->focus && i < count; i++)
		if (range_touches(range[i], h->focus->range, h->focus->count))
			return true;
	return !h->focus;
}

static bool clip_node_ranges(struct function_builder *h, const struct function_builder_node *node,
                             struct cairn_range to, size_t *used, uint32_t *count)
{
	size_t first = *used;

	if (!function_builder_reserve(h, &h->clipped, &h->clipped_capacity, *used + node->ranges,
	                              sizeof(*h->clipped)))
		return false;
	for (size_t i = 0; i < node->ranges; i++) {
		struct cairn_range range = h->range[node->range + i];
		range.low = range.low > to.low ? range.low : to.low;
		range.high = range.high < to.high ? range.high : to.high;
		if (range.low < range.high)
			h->clipped[(*used)++] = range;
	}
	*count = (uint32_t)(*used - first);
	return true;
}

static bool collect_inlines(struct function_builder *h, const struct function_builder_open *open,
                            struct cairn_range to, struct function *function)
{
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };
	size_t used = 0, count = 0;

	for (size_t i = open->node; i < h->nodes; i++) {
		struct function_builder_node *node = &h->node[i];
		struct function_inline given = { .depth = node->depth, .range = (uint32_t)used };
		if (!is_asked(h, find_first_range(h, node), node->ranges))
			continue;
		if (!function_builder_spend_work(h, 1 + node->ranges) ||
		    !clip_node_ranges(h, node, to, &used, &given.ranges))
			return false;
		if (given.ranges == 0)
			continue;
		if (node->call.late_file && !h->name_call(h->name_context, &node->call))
			return false;
		if (!function_builder_reserve(h, &h->inlined, &h->inlined_capacity, count + 1,
		                              sizeof(given)))
			return false;
		given.call_file = node->call.call_file;
		given.call_line = node->call.call_line;
		given.call_column = node->call.call_column;
		given.entry =
			node->call.has_entry ? node->call.entry : find_first_range(h, node)->low;
		given.name = node->call.name.size > 0 ? node->call.name : unknown;
		given.path_size = node->call.path_size;
		h->inlined[count++] = given;
	}
	function->range = h->clipped;
	function->inlines = h->inlined;
	function->inline_count = count;
	return true;
}

static bool collect_calls(struct function_builder *h, const struct function_builder_open *open,
                          struct cairn_range to, struct function *function)
{
	size_t count = 0;

	if (!function_builder_spend_work(h, h->calls - open->call))
		return false;
	for (size_t i = open->call; i < h->calls; i++) {
		const struct function_builder_call *call = &h->call[i];
		if (call->return_va <= to.low || call->return_va > to.high)
			continue;
		if (!function_builder_reserve(h, &h->given, &h->given_capacity, count + 1,
		                              sizeof(*h->given)))
			return false;
		h->given[count++] =
			(struct function_call){ .return_offset = call->return_va - to.low,
			                        .callee = &call->callee,
			                        .callees = call->callee.size > 0 };
	}
	function->calls = h->given;
	function->call_count = count;
	return true;
}

static bool collect_rows(struct function_builder *h, const struct function_builder_open *open,
                         struct cairn_range to, struct function *function)
{
	struct lines_cut cut;

	if (!lines_clip(h->lines, to, &open->function.hint, &cut))
		return function_builder_no_memory(h);
	if (h->lines->every_row && !breakpoint_rows_mark(h, open, h->lines->cut, cut.count))
		return false;
	function->files = h->lines->file;
	function->file_set = h->lines->file_set;
	function->file_count = (uint32_t)h->lines->files;
	function->rows = cut.row;
	function->statements = h->lines->every_row;
	function->row_count = cut.count;
	return true;
}

/*
 * Choose the name of the best symbol at `va`. Use the name from DWARF if there is no symbol or the
 * host prefers names from DWARF.
 */
static void choose_function_name(const struct function_builder *h,
                                 const struct function_builder_names *names, uint64_t va,
                                 struct function *function)
{
	struct cairn_bytes own[] = { names->linkage, names->plain };

	function->name = names->plain;
	if (h->names == CAIRN_NAMES_DWARF && names->linkage.size > 0)
		function->name = names->linkage;
	if ((h->names == CAIRN_NAMES_SHORT || h->names == CAIRN_NAMES_DWARF) &&
	    function->name.size > 0)
		return;
	const struct alias *best = h->aliases ? aliases_best(h->aliases, va, own, 2) : NULL;

	function->name = best ? best->name : names->linkage.size > 0 ? names->linkage : names->name;
	if (names->path_size > 0 && bytes_equal(function->name, names->linkage)) {
		function->name = names->linkage; /* the path follows the linkage name in memory */
		function->path_size = names->path_size;
	}
}

static bool charge_function_names(struct function_builder *h, const struct function *function)
{
	bool ok = budget_charge_text(h->budget, function->name);

	for (size_t i = 0; ok && i < function->inline_count; i++)
		ok = budget_charge_text(h->budget, function->inlines[i].name);
	for (size_t i = 0; ok && i < function->call_count; i++)
		if (function->calls[i].callees)
			ok = budget_charge_text(h->budget, *function->calls[i].callee);
	return ok;
}

bool function_builder_charge(struct function_builder *h, const struct function *function)
{
	uint64_t bytes = FUNCTION_BUILDER_FUNCTION_COST +
	                 (uint64_t)function->row_count * FUNCTION_BUILDER_ROW_COST +
	                 (uint64_t)function->inline_count * FUNCTION_BUILDER_INLINE_COST +
	                 (uint64_t)function->call_count * FUNCTION_BUILDER_CALL_COST;

	if (h->lends)
		return true;
	for (size_t i = 0; i < function->inline_count; i++)
		bytes += (uint64_t)function->inlines[i].ranges * FUNCTION_BUILDER_RANGE_COST;
	return budget_memory(h->budget, bytes) && charge_function_names(h, function);
}

/*
 * Set the range and name of a function. Returns the reason if it must be dropped, otherwise
 * PROGRAM_DROPS.
 */
static enum program_drop begin_function(const struct function_builder *h,
                                        const struct function_builder_names *names,
                                        struct cairn_range range, struct function *function)
{
	const struct cairn_range *text = code_ranges_find(h->text, range.low);

	/*
	 * Linkers relocate discarded code to the highest address. In range lists, where that value
	 * selects a base address, they use the address below it.
	 */
	if (range.low >= h->highest - 1)
		return PROGRAM_DROP_TOMBSTONE;
	if (range.low >= range.high)
		return PROGRAM_DROP_EMPTY;
	if (!text)
		return PROGRAM_DROP_OUTSIDE;
	function->start = range.low;
	function->size = (range.high < text->high ? range.high : text->high) - range.low;
	choose_function_name(h, names, range.low, function);
	return function->name.size == 0 ? PROGRAM_DROP_NAMELESS : PROGRAM_DROPS;
}

bool function_builder_was_given(struct function_builder *h,
                                const struct function_builder_function *function)
{
	uint64_t counts[PROGRAM_DROPS + 1] = { 0 };

	for (size_t i = h->ranges - h->pending; h->earlier && i < h->ranges; i++) {
		struct function found = { .start = 0 };
		const enum program_drop drop =
			begin_function(h, &function->names, h->range[i], &found);
		const struct cairn_range range = { found.start, found.start + found.size };
		if (drop == PROGRAM_DROPS &&
		    !recorded_functions_has(h->earlier, range, found.name, h->unit))
			return false;
		counts[drop]++;
	}
	for (unsigned i = 0; i < PROGRAM_DROPS; i++)
		h->summary->dropped[i] += counts[i];
	h->summary->repeated += counts[PROGRAM_DROPS];
	return h->earlier != NULL;
}

/*
 * Record the function, so that later duplicates are recognized. Inlined calls without an address
 * belong to no particular range, so they are counted once, with the first range.
 */
static bool note_given(struct function_builder *h, const struct function *function)
{
	const struct recorded_function noted = {
		.range = { function->start, function->start + function->size },
		.name = function->name,
		.lost = h->lost,
		.unit = h->unit,
		.has_rows = function->row_count > 0,
	};

	if (!h->earlier)
		return true;
	h->lost = 0;
	if (!budget_memory(h->budget, GIVEN_FUNCTION_COST))
		return false;
	return recorded_functions_add(h->earlier, &noted) || function_builder_no_memory(h);
}

static bool emit_built_function(struct function_builder *h,
                                const struct function_builder_open *open, struct cairn_range range)
{
	struct function function = { .start = range.low };
	const enum program_drop drop = begin_function(h, &open->function.names, range, &function);

	if (drop != PROGRAM_DROPS) {
		h->summary->dropped[drop]++;
		return true;
	}
	range.high = range.low + function.size;
	function.parted = h->lines->every_row && open->own_ranges > 1;
	if (!collect_rows(h, open, range, &function) ||
	    !collect_inlines(h, open, range, &function) ||
	    !collect_calls(h, open, range, &function) || !function_builder_charge(h, &function) ||
	    !note_given(h, &function))
		return false;
	h->summary->functions++;
	h->summary->rows += function.row_count;
	h->summary->inlines += function.inline_count;
	h->summary->calls += function.call_count;
	h->status = h->sink->take(h->sink->context, &function);
	return h->status == CAIRN_OK;
}

static bool function_builder_emit(struct function_builder *h,
                                  const struct function_builder_open *open)
{
	if (!widen_all_parents(h, open->node))
		return false;
	if (!h->earlier)
		h->summary->dropped[PROGRAM_DROP_INLINE] += h->lost;
	for (size_t i = 0; i < open->own_ranges; i++) {
		const struct cairn_range range = h->range[open->range + i];
		if (is_asked(h, &range, 1) && !emit_built_function(h, open, range))
			return false;
	}
	return true;
}

void function_builder_begin(struct function_builder *builder, const struct dwarf_unit *unit,
                            const struct function_sink *sink)
{
	builder->sink = sink;
	builder->opens = builder->nodes = builder->ranges = builder->calls = 0;
	builder->scopes = builder->order = 0;
	builder->pending = 0;
	builder->highest = dwarf_highest(unit);
	builder->status = CAIRN_OK;
	builder->too_deep = false;
}

void function_builder_finish(struct function_builder *builder)
{
	free(builder->open);
	free(builder->node);
	free(builder->range);
	free(builder->call);
	free(builder->sort);
	free(builder->clipped);
	free(builder->inlined);
	free(builder->given);
	free(builder->scope);
	breakpoint_rows_free(builder->apart);
}

bool function_builder_range(struct function_builder *builder, struct cairn_range range)
{
	if (!function_builder_spend_work(builder, 1) ||
	    !function_builder_reserve(builder, &builder->range, &builder->range_capacity,
	                              builder->ranges + 1, sizeof(range)))
		return false;
	builder->range[builder->ranges++] = range;
	builder->pending++;
	return true;
}

/* Entries of the list that only set a base address are skipped, but count as work. */
bool function_builder_list(struct function_builder *builder, struct dwarf_ranges *list)
{
	struct cairn_range range;
	uint64_t from = list->at;

	while (dwarf_next_range(list, &range)) {
		if (!function_builder_spend_work(builder, (list->at - from) / DIE_RANGE_BYTES) ||
		    !function_builder_range(builder, range))
			return false;
		from = list->at;
	}
	return function_builder_spend_work(builder, (list->at - from) / DIE_RANGE_BYTES);
}

void function_builder_drop_ranges(struct function_builder *builder)
{
	builder->ranges -= builder->pending;
	builder->pending = 0;
}

bool function_builder_in_function(const struct function_builder *builder)
{
	return builder->opens > 0;
}

static struct function_builder_open *push_open_entry(struct function_builder *builder)
{
	if (!function_builder_spend_work(builder, 1))
		return NULL;
	if (builder->opens == FUNCTION_BUILDER_DEPTH_MAX) {
		builder->too_deep = true;
		return NULL;
	}
	if (!function_builder_reserve(builder, &builder->open, &builder->open_capacity,
	                              builder->opens + 1, sizeof(*builder->open)))
		return NULL;
	struct function_builder_open *open = &builder->open[builder->opens++];
	/* the fields of functions are not initialized because most DIEs are inlined calls */
	open->is_function = false;
	open->node = builder->nodes;
	open->range = builder->ranges - builder->pending;
	open->call = builder->calls;
	open->scope = builder->scopes;
	return open;
}

bool function_builder_open_function(struct function_builder *builder,
                                    const struct function_builder_function *function)
{
	struct function_builder_open *open = push_open_entry(builder);

	if (!open)
		return false;
	open->is_function = true;
	open->function = *function;
	open->own_ranges = builder->pending;
	builder->pending = 0;
	return true;
}

static size_t drop_empty_ranges(struct function_builder *builder, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < builder->ranges; i++)
		if (builder->range[i].low < builder->range[i].high)
			builder->range[kept++] = builder->range[i];
	builder->ranges = kept;
	return kept - first;
}

bool function_builder_open_inline(struct function_builder *builder,
                                  const struct function_builder_inline *call)
{
	const struct function_builder_open *around = &builder->open[builder->opens - 1];
	const bool is_inner = !around->is_function;
	const size_t parent = is_inner ? around->node : FUNCTION_BUILDER_NO_NODE;

	struct function_builder_open *open = push_open_entry(builder);
	if (!open)
		return false;
	if (!function_builder_reserve(builder, &builder->node, &builder->node_capacity,
	                              builder->nodes + 1, sizeof(*builder->node)))
		return false;
	struct function_builder_node *node = &builder->node[builder->nodes++];
	node->call = *call;
	node->parent = parent;
	node->depth = is_inner ? builder->node[parent].depth + 1 : 1;
	node->order = ++builder->order;
	node->range = open->range;
	node->ranges = drop_empty_ranges(builder, node->range);
	builder->pending = 0;
	if (!node->call.has_entry && node->ranges > 0) {
		node->call.has_entry = true;
		node->call.entry = builder->range[node->range].low;
	}
	return true;
}

bool function_builder_scope(struct function_builder *builder)
{
	size_t count = builder->pending, order = ++builder->order;

	if (!function_builder_spend_work(builder, 1 + count) ||
	    !function_builder_reserve(builder, &builder->scope, &builder->scope_capacity,
	                              builder->scopes + count, sizeof(*builder->scope)))
		return false;
	for (size_t i = builder->ranges - count; i < builder->ranges; i++)
		builder->scope[builder->scopes++] =
			(struct function_builder_scope){ builder->range[i], order };
	function_builder_drop_ranges(builder);
	return true;
}

bool function_builder_call(struct function_builder *builder, uint64_t return_va,
                           struct cairn_bytes callee)
{
	if (!function_builder_spend_work(builder, 1) ||
	    !function_builder_reserve(builder, &builder->call, &builder->call_capacity,
	                              builder->calls + 1, sizeof(*builder->call)))
		return false;
	builder->call[builder->calls++] = (struct function_builder_call){ return_va, callee };
	return true;
}

bool function_builder_needs_name(const struct function_builder *builder)
{
	for (size_t i = builder->ranges - builder->pending; i < builder->ranges; i++)
		if (!builder->aliases ||
		    !aliases_best(builder->aliases, builder->range[i].low, NULL, 0))
			return true;
	return false;
}

bool function_builder_is_asked(const struct function_builder *builder)
{
	const struct function_builder_focus *focus = builder->focus;

	for (size_t i = builder->ranges - builder->pending; focus && i < builder->ranges; i++)
		if (range_touches(builder->range[i], focus->range, focus->count))
			return true;
	return !focus;
}

bool function_builder_close(struct function_builder *builder)
{
	struct function_builder_open *open = &builder->open[builder->opens - 1];
	bool ok = true;

	if (open->is_function) {
		ok = function_builder_emit(builder, open);
		builder->nodes = open->node;
		builder->ranges = open->range;
		builder->calls = open->call;
		builder->scopes = open->scope;
	}
	builder->opens--;
	return ok;
}
