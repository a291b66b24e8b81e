/* SPDX-License-Identifier: MIT */
/*
 * Tracks the open DIEs of a unit walk and collects their ranges, inlined calls, scopes and call
 * sites.
 */
#include "function_builder.h"

#include "breakpoint_rows.h"
#include "builder_budget.h"
#include "function_emit.h"

#include "base/range.h"
#include "debuginfo/dwarf/die_ranges.h"

#include <stdlib.h>

void function_builder_begin(struct function_builder *harvest, const struct dwarf_unit *unit,
                            const struct function_sink *sink)
{
	harvest->sink = sink;
	harvest->opens = harvest->nodes = harvest->ranges = harvest->calls = 0;
	harvest->scopes = harvest->order = 0;
	harvest->pending = 0;
	harvest->highest = dwarf_highest(unit);
	harvest->status = CAIRN_OK;
	harvest->too_deep = false;
}

void function_builder_finish(struct function_builder *harvest)
{
	free(harvest->open);
	free(harvest->node);
	free(harvest->range);
	free(harvest->call);
	free(harvest->sort);
	free(harvest->clipped);
	free(harvest->inlined);
	free(harvest->given);
	free(harvest->scope);
	breakpoint_rows_free(harvest->apart);
}

bool function_builder_range(struct function_builder *harvest, struct cairn_range range)
{
	if (!function_builder_spend_work(harvest, 1))
		return false;
	if (!budget_room(harvest->budget, &harvest->range, &harvest->range_room,
	                 harvest->ranges + 1, sizeof(range)))
		return function_builder_no_memory(harvest);
	harvest->range[harvest->ranges++] = range;
	harvest->pending++;
	return true;
}

/* Work is what was passed over as well: entries that only move the base. */
bool function_builder_list(struct function_builder *harvest, struct dwarf_ranges *list)
{
	struct cairn_range range;
	uint64_t from = list->at;

	while (dwarf_next_range(list, &range)) {
		if (!function_builder_spend_work(harvest, (list->at - from) / DIE_RANGE_BYTES) ||
		    !function_builder_range(harvest, range))
			return false;
		from = list->at;
	}
	return function_builder_spend_work(harvest, (list->at - from) / DIE_RANGE_BYTES);
}

void function_builder_drop_ranges(struct function_builder *harvest)
{
	harvest->ranges -= harvest->pending;
	harvest->pending = 0;
}

bool function_builder_in_function(const struct function_builder *harvest)
{
	return harvest->opens > 0;
}

/* One more entry; its ranges begin where the pending ones do. */
static struct function_builder_open *push_open_entry(struct function_builder *harvest)
{
	if (!function_builder_spend_work(harvest, 1))
		return NULL;
	if (harvest->opens == FUNCTION_BUILDER_DEPTH_MAX) {
		harvest->too_deep = true;
		return NULL;
	}
	if (!budget_room(harvest->budget, &harvest->open, &harvest->open_room, harvest->opens + 1,
	                 sizeof(*harvest->open))) {
		function_builder_no_memory(harvest);
		return NULL;
	}
	struct function_builder_open *open = &harvest->open[harvest->opens++];
	*open = (struct function_builder_open){ .node = harvest->nodes,
		                                .range = harvest->ranges - harvest->pending,
		                                .call = harvest->calls,
		                                .scope = harvest->scopes };
	return open;
}

bool function_builder_open_function(struct function_builder *harvest,
                                    const struct function_builder_function *function)
{
	struct function_builder_open *open = push_open_entry(harvest);

	if (!open)
		return false;
	open->is_function = true;
	open->function = *function;
	open->own_ranges = harvest->pending;
	harvest->pending = 0;
	return true;
}

/* A range of an inlined call that is empty adds nothing. */
static size_t drop_empty_ranges(struct function_builder *harvest, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < harvest->ranges; i++)
		if (harvest->range[i].low < harvest->range[i].high)
			harvest->range[kept++] = harvest->range[i];
	harvest->ranges = kept;
	return kept - first;
}

bool function_builder_open_inline(struct function_builder *harvest,
                                  const struct function_builder_inline *call)
{
	const struct function_builder_open *around = &harvest->open[harvest->opens - 1];
	struct function_builder_node node = { .call = *call,
		                              .depth = 1,
		                              .parent = FUNCTION_BUILDER_NO_NODE };

	if (!around->is_function) {
		node.parent = around->node;
		node.depth = harvest->node[node.parent].depth + 1;
	}
	struct function_builder_open *open = push_open_entry(harvest);
	if (!open)
		return false;
	if (!budget_room(harvest->budget, &harvest->node, &harvest->node_room, harvest->nodes + 1,
	                 sizeof(node)))
		return function_builder_no_memory(harvest);
	node.order = ++harvest->order;
	node.range = open->range;
	node.ranges = drop_empty_ranges(harvest, node.range);
	harvest->pending = 0;
	if (!node.call.has_entry && node.ranges > 0) {
		node.call.has_entry = true;
		node.call.entry = harvest->range[node.range].low;
	}
	harvest->node[harvest->nodes++] = node;
	return true;
}

bool function_builder_scope(struct function_builder *harvest)
{
	size_t count = harvest->pending, order = ++harvest->order;

	if (!function_builder_spend_work(harvest, 1 + count))
		return false;
	if (!budget_room(harvest->budget, &harvest->scope, &harvest->scope_room,
	                 harvest->scopes + count, sizeof(*harvest->scope)))
		return function_builder_no_memory(harvest);
	for (size_t i = harvest->ranges - count; i < harvest->ranges; i++)
		harvest->scope[harvest->scopes++] =
			(struct function_builder_scope){ harvest->range[i], order };
	function_builder_drop_ranges(harvest);
	return true;
}

bool function_builder_call(struct function_builder *harvest, uint64_t return_va,
                           struct cairn_bytes callee)
{
	if (!function_builder_spend_work(harvest, 1))
		return false;
	if (!budget_room(harvest->budget, &harvest->call, &harvest->call_room, harvest->calls + 1,
	                 sizeof(*harvest->call)))
		return function_builder_no_memory(harvest);
	harvest->call[harvest->calls++] = (struct function_builder_call){ return_va, callee };
	return true;
}

bool function_builder_needs_name(const struct function_builder *harvest)
{
	for (size_t i = harvest->ranges - harvest->pending; i < harvest->ranges; i++)
		if (!harvest->aliases ||
		    !aliases_best(harvest->aliases, harvest->range[i].low, NULL, 0))
			return true;
	return false;
}

bool function_builder_is_asked(const struct function_builder *harvest)
{
	const struct function_builder_focus *focus = harvest->focus;

	for (size_t i = harvest->ranges - harvest->pending; focus && i < harvest->ranges; i++)
		if (range_touches(harvest->range[i], focus->range, focus->count))
			return true;
	return !focus;
}

bool function_builder_close(struct function_builder *harvest)
{
	struct function_builder_open *open = &harvest->open[harvest->opens - 1];
	bool ok = true;

	if (open->is_function) {
		ok = function_builder_emit(harvest, open);
		harvest->nodes = open->node;
		harvest->ranges = open->range;
		harvest->calls = open->call;
		harvest->scopes = open->scope;
	}
	harvest->opens--;
	return ok;
}
