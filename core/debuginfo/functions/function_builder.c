/* SPDX-License-Identifier: MIT */
/*
 * Tracks the open DIEs of a unit walk and collects their ranges, inlined calls, scopes and call
 * sites.
 */
#include "function_builder.h"

#include "builder_parts.h"

#include "base/range.h"
#include "debuginfo/dwarf/die_ranges.h"

#include <stdlib.h>

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
	    !function_builder_room(builder, &builder->range, &builder->range_room,
	                           builder->ranges + 1, sizeof(range)))
		return false;
	builder->range[builder->ranges++] = range;
	builder->pending++;
	return true;
}

/* Work is what was passed over as well: entries that only move the base. */
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

/* One more entry; its ranges begin where the pending ones do. */
static struct function_builder_open *push_open_entry(struct function_builder *builder)
{
	if (!function_builder_spend_work(builder, 1))
		return NULL;
	if (builder->opens == FUNCTION_BUILDER_DEPTH_MAX) {
		builder->too_deep = true;
		return NULL;
	}
	if (!function_builder_room(builder, &builder->open, &builder->open_room, builder->opens + 1,
	                           sizeof(*builder->open)))
		return NULL;
	struct function_builder_open *open = &builder->open[builder->opens++];
	/* what is of functions alone stays as it was: most entries are inlined calls */
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

/* A range of an inlined call that is empty adds nothing. */
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
	if (!function_builder_room(builder, &builder->node, &builder->node_room, builder->nodes + 1,
	                           sizeof(*builder->node)))
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
	    !function_builder_room(builder, &builder->scope, &builder->scope_room,
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
	    !function_builder_room(builder, &builder->call, &builder->call_room, builder->calls + 1,
	                           sizeof(*builder->call)))
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
