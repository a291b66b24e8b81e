/* SPDX-License-Identifier: MIT */
/*
 * Normalizes the ranges of a finished function, clips its inlined calls and line rows and passes it
 * to the sink.
 */
#include "builder_parts.h"

#include "base/bytes_compare.h"
#include "base/range.h"

#include <stdlib.h>

/* Is the one list, which is normal, inside the other? */
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

/* The parent's ranges with those of its child, as a new list at the end. */
static bool widen_parent_ranges(struct function_builder *h, struct function_builder_node *parent,
                                const struct function_builder_node *child)
{
	size_t count = parent->ranges + child->ranges;

	if (!function_builder_spend_work(h, count) ||
	    !function_builder_room(h, &h->range, &h->range_room, h->ranges + count,
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

/* The node's first range; NULL when it has none. */
static struct cairn_range *find_first_range(const struct function_builder *h,
                                            const struct function_builder_node *node)
{
	return node->ranges > 0 ? &h->range[node->range] : NULL;
}

/* Every call's ranges hold those of the calls inside it.  Children come after their parents. */
static bool widen_all_parents(struct function_builder *h, size_t first)
{
	if (!function_builder_spend_work(h, h->nodes - first))
		return false;
	for (size_t i = first; i < h->nodes; i++)
		if (h->node[i].ranges > 1) /* most have one, and none is empty */
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

/* The node's ranges as far as they are in the function's; how many of them. */
static bool clip_node_ranges(struct function_builder *h, const struct function_builder_node *node,
                             struct cairn_range to, size_t *used, uint32_t *count)
{
	size_t first = *used;

	if (!function_builder_room(h, &h->clipped, &h->clipped_room, *used + node->ranges,
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

/* The inlined calls of a function that have a part in one of its ranges. */
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
		if (!function_builder_room(h, &h->inlined, &h->inlined_room, count + 1,
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

/* The calls that return into a function's range. */
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
		if (!function_builder_room(h, &h->given, &h->given_room, count + 1,
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

/* The symbol's name where there is one, else what DWARF has. */
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
		function->name = names->linkage; /* the text with the path */
		function->path_size = names->path_size;
	}
}

/* What is kept of the names of a function. */
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
 * The function of one range, by its place and name.  Why there is none, or PROGRAM_DROPS.
 */
static enum program_drop begin_function(const struct function_builder *h,
                                        const struct function_builder_names *names,
                                        struct cairn_range range, struct function *function)
{
	const struct cairn_range *text = code_ranges_find(h->text, range.low);

	/* linkers give dropped code the highest address, or in lists of ranges the one below it */
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
		    !given_functions_has(h->earlier, range, found.name, h->unit))
			return false;
		counts[drop]++;
	}
	for (unsigned i = 0; i < PROGRAM_DROPS; i++)
		h->summary->dropped[i] += counts[i];
	h->summary->repeated += counts[PROGRAM_DROPS];
	return h->earlier != NULL;
}

/* One that equal ones are held against; calls without an address count where the first range does. */
static bool note_given(struct function_builder *h, const struct function *function)
{
	const struct given_function noted = {
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
	return given_functions_add(h->earlier, &noted) || function_builder_no_memory(h);
}

/* One function of one range. */
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

bool function_builder_emit(struct function_builder *h, const struct function_builder_open *open)
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
