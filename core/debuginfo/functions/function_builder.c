/* SPDX-License-Identifier: MIT */
#include "function_builder.h"

#include "breakpoint_rows.h"
#include "function_emit.h"

#include <stdlib.h>

void harvest_begin(struct harvest *harvest, const struct dwarf_unit *unit,
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

void harvest_finish(struct harvest *harvest)
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
	harvest_apart_free(harvest->apart);
}

bool harvest_spend(struct harvest *harvest, uint64_t steps)
{
	return budget_work(harvest->budget, steps);
}

bool harvest_short(struct harvest *harvest)
{
	harvest->status = CAIRN_NO_MEMORY;
	return false;
}

bool harvest_range(struct harvest *harvest, struct cairn_range range)
{
	if (!harvest_spend(harvest, 1))
		return false;
	if (!budget_room(harvest->budget, &harvest->range, &harvest->range_room,
	                 harvest->ranges + 1, sizeof(range)))
		return harvest_short(harvest);
	harvest->range[harvest->ranges++] = range;
	harvest->pending++;
	return true;
}

void harvest_drop_ranges(struct harvest *harvest)
{
	harvest->ranges -= harvest->pending;
	harvest->pending = 0;
}

bool harvest_in_function(const struct harvest *harvest)
{
	return harvest->opens > 0;
}

/* One more entry; its ranges begin where the pending ones do. */
static struct harvest_open *push_open_entry(struct harvest *harvest)
{
	if (!harvest_spend(harvest, 1))
		return NULL;
	if (harvest->opens == HARVEST_DEPTH_MAX) {
		harvest->too_deep = true;
		return NULL;
	}
	if (!budget_room(harvest->budget, &harvest->open, &harvest->open_room, harvest->opens + 1,
	                 sizeof(*harvest->open))) {
		harvest_short(harvest);
		return NULL;
	}
	struct harvest_open *open = &harvest->open[harvest->opens++];
	*open = (struct harvest_open){ .node = harvest->nodes,
		                       .range = harvest->ranges - harvest->pending,
		                       .call = harvest->calls,
		                       .scope = harvest->scopes };
	return open;
}

bool harvest_open_function(struct harvest *harvest, const struct harvest_function *function)
{
	struct harvest_open *open = push_open_entry(harvest);

	if (!open)
		return false;
	open->is_function = true;
	open->function = *function;
	open->own_ranges = harvest->pending;
	harvest->pending = 0;
	return true;
}

/* A range of an inlined call that holds nothing says nothing. */
static size_t drop_empty_ranges(struct harvest *harvest, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < harvest->ranges; i++)
		if (harvest->range[i].low < harvest->range[i].high)
			harvest->range[kept++] = harvest->range[i];
	harvest->ranges = kept;
	return kept - first;
}

bool harvest_open_inline(struct harvest *harvest, const struct harvest_inline *call)
{
	const struct harvest_open *around = &harvest->open[harvest->opens - 1];
	struct harvest_node node = { .call = *call, .depth = 1, .parent = HARVEST_NO_NODE };

	if (!around->is_function) {
		node.parent = around->node;
		node.depth = harvest->node[node.parent].depth + 1;
	}
	struct harvest_open *open = push_open_entry(harvest);
	if (!open)
		return false;
	if (!budget_room(harvest->budget, &harvest->node, &harvest->node_room, harvest->nodes + 1,
	                 sizeof(node)))
		return harvest_short(harvest);
	node.order = ++harvest->order;
	node.range = open->range;
	node.ranges = drop_empty_ranges(harvest, node.range);
	harvest->pending = 0;
	harvest->node[harvest->nodes++] = node;
	return true;
}

bool harvest_scope(struct harvest *harvest)
{
	size_t count = harvest->pending, order = ++harvest->order;

	if (!harvest_spend(harvest, 1 + count))
		return false;
	if (!budget_room(harvest->budget, &harvest->scope, &harvest->scope_room,
	                 harvest->scopes + count, sizeof(*harvest->scope)))
		return harvest_short(harvest);
	for (size_t i = harvest->ranges - count; i < harvest->ranges; i++)
		harvest->scope[harvest->scopes++] =
			(struct harvest_scope){ harvest->range[i], order };
	harvest_drop_ranges(harvest);
	return true;
}

bool harvest_call(struct harvest *harvest, uint64_t return_va, struct cairn_bytes callee)
{
	if (!harvest_spend(harvest, 1))
		return false;
	if (!budget_room(harvest->budget, &harvest->call, &harvest->call_room, harvest->calls + 1,
	                 sizeof(*harvest->call)))
		return harvest_short(harvest);
	harvest->call[harvest->calls++] = (struct harvest_call){ return_va, callee };
	return true;
}

bool harvest_needs_name(const struct harvest *harvest)
{
	for (size_t i = harvest->ranges - harvest->pending; i < harvest->ranges; i++)
		if (!harvest->aliases ||
		    !aliases_best(harvest->aliases, harvest->range[i].low, NULL, 0))
			return true;
	return false;
}

bool harvest_close(struct harvest *harvest)
{
	struct harvest_open *open = &harvest->open[harvest->opens - 1];
	bool ok = true;

	if (open->is_function) {
		ok = harvest_give(harvest, open);
		harvest->nodes = open->node;
		harvest->ranges = open->range;
		harvest->calls = open->call;
		harvest->scopes = open->scope;
	}
	harvest->opens--;
	return ok;
}
