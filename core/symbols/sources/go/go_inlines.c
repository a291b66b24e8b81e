/* SPDX-License-Identifier: MIT */
/*
 * Inlined calls of a Go function: each piece of code names the innermost call it is in, and the calls
 * around that one are found in the inline tree, or, since Go 1.20, by asking the same of the place of
 * the call.
 */
#include "go_parts.h"

#include "base/bisect.h"

/* What a piece refers to, with the calls around it, innermost first. */
struct chain {
	int32_t index[GO_LEVELS_MAX];
	struct gopclntab_call call[GO_LEVELS_MAX];
	size_t count;
};

/* One function's inlined calls in progress. */
struct reading {
	struct go_functions *functions;
	const struct gopclntab_function *function;
	struct go_inlines *inlines;
	struct chain chain;
};

static const struct go_piece *find_piece(const struct go_pieces *pieces, uint64_t va)
{
	const size_t next = SORTED_UP_TO(pieces->piece, pieces->count, high, va);

	return next < pieces->count && pieces->piece[next].low <= va ? &pieces->piece[next] : NULL;
}

/* Reads an entry; what it lacks is known at the place of the call. */
static bool read_call(struct reading *r, int32_t index, struct gopclntab_call *call)
{
	const struct gopclntab *table = &r->functions->program->table;

	if (!gopclntab_read_call(table, r->function, index, call) ||
	    !allowance_draw(&r->functions->work, 1 + call->name.size))
		return false;
	if (call->has_parent)
		return true;
	const struct go_piece *piece = find_piece(&r->functions->pieces, call->place);
	if (!piece)
		return false;
	call->parent = piece->inlined;
	call->file = piece->file;
	call->line = piece->line;
	return true;
}

/* From a call outwards, up to one that is known.  False: the tree is damaged. */
static bool read_chain(struct reading *r, int32_t index, uint32_t *parent)
{
	struct chain *chain = &r->chain;

	chain->count = 0;
	*parent = 0;
	while (index >= 0) {
		/* the node of the index, or 0 when it has none yet */
		*parent = (size_t)index < r->inlines->indices ? r->inlines->of_index[index] : 0;
		if (*parent)
			return true;
		if (chain->count == GO_LEVELS_MAX)
			return false;
		chain->index[chain->count] = index;
		if (!read_call(r, index, &chain->call[chain->count]))
			return false;
		index = chain->call[chain->count++].parent;
	}
	return true;
}

static bool set_node(struct go_inlines *inlines, int32_t index, uint32_t node)
{
	size_t need = (size_t)index + 1;

	if (!array_grow(&inlines->of_index, &inlines->index_room, need, sizeof(*inlines->of_index)))
		return false;
	for (; inlines->indices < need; inlines->indices++)
		inlines->of_index[inlines->indices] = 0;
	inlines->of_index[index] = node;
	return true;
}

static bool add_node(struct reading *r, uint32_t parent, int32_t index,
                     const struct gopclntab_call *call)
{
	struct go_inlines *inlines = r->inlines;
	uint32_t number = (uint32_t)inlines->nodes;

	if (!array_grow(&inlines->node, &inlines->node_room, inlines->nodes + 1,
	                sizeof(*inlines->node)) ||
	    !set_node(inlines, index, number))
		return false;
	inlines->nodes++;
	struct go_node *outer = &inlines->node[parent];
	inlines->node[number] =
		(struct go_node){ .index = index,
		                  .parent = parent,
		                  .depth = outer->depth + 1,
		                  .call_file =
		                          go_functions_file(r->functions, r->function, call->file),
		                  .call_line = call->line > 0 ? (uint32_t)call->line : 0,
		                  .name = call->name };
	if (outer->last_child)
		inlines->node[outer->last_child].next = number;
	else
		outer->child = number;
	outer->last_child = number;
	return true;
}

/* The ranges of a call ascend, because pieces do. */
static bool add_call_range(struct go_inlines *inlines, struct go_node *node,
                           const struct go_piece *piece)
{
	struct go_range *last = node->last_range ? &inlines->range[node->last_range - 1] : NULL;

	if (last && last->high == piece->low) {
		last->high = piece->high;
		return true;
	}
	if (!ARRAY_APPEND(inlines->range, inlines->ranges, inlines->range_room,
	                  (struct go_range){ piece->low, piece->high, 0 }))
		return false;
	uint32_t number = (uint32_t)inlines->ranges;
	if (node->last_range)
		inlines->range[node->last_range - 1].next = number;
	else
		node->range = number;
	node->last_range = number;
	node->ranges++;
	return true;
}

/* Memory is short when it is false; damage costs this piece its calls. */
static bool add_inlined_piece(struct reading *r, const struct go_piece *piece)
{
	struct go_inlines *inlines = r->inlines;
	struct chain *chain = &r->chain;
	uint32_t node;

	if (!read_chain(r, piece->inlined, &node) ||
	    inlines->node[node].depth + chain->count > GO_LEVELS_MAX) {
		inlines->damaged = true;
		return true;
	}
	while (chain->count > 0) {
		chain->count--;
		if (!add_node(r, node, chain->index[chain->count], &chain->call[chain->count]))
			return false;
		node = (uint32_t)inlines->nodes - 1;
	}
	if (!allowance_draw(&r->functions->work, inlines->node[node].depth))
		return true;
	for (; node; node = inlines->node[node].parent)
		if (!add_call_range(inlines, &inlines->node[node], piece))
			return false;
	return true;
}

static bool emit_node(struct go_inlines *inlines, const struct go_node *node)
{
	if (!array_grow(&inlines->call, &inlines->call_room, inlines->calls + 1,
	                sizeof(*inlines->call)) ||
	    !array_grow(&inlines->flat, &inlines->flat_room, inlines->flats + node->ranges,
	                sizeof(*inlines->flat)))
		return false;
	inlines->call[inlines->calls++] =
		(struct function_inline){ .depth = node->depth,
		                          .range = (uint32_t)inlines->flats,
		                          .ranges = node->ranges,
		                          .call_file = node->call_file,
		                          .call_line = node->call_line,
		                          .name = node->name };
	for (uint32_t at = node->range; at; at = inlines->range[at - 1].next)
		inlines->flat[inlines->flats++] =
			(struct cairn_range){ inlines->range[at - 1].low,
			                      inlines->range[at - 1].high };
	return true;
}

/* In pre-order: down to the first child, else on to the next one, else up. */
static bool order_nodes(struct go_inlines *inlines)
{
	const struct go_node *node = &inlines->node[0];
	uint32_t at = node->child;

	while (at) {
		node = &inlines->node[at];
		if (node->ranges && !emit_node(inlines, node))
			return false;
		at = node->child;
		while (!at && node != &inlines->node[0]) {
			at = node->next;
			node = &inlines->node[node->parent];
		}
	}
	return true;
}

static void clear_nodes(struct go_inlines *inlines)
{
	for (size_t i = 1; i < inlines->nodes; i++)
		inlines->of_index[inlines->node[i].index] = 0;
	inlines->nodes = inlines->ranges = inlines->calls = inlines->flats = 0;
	inlines->damaged = false;
}

bool go_inlines_read(struct go_functions *functions, const struct gopclntab_function *function)
{
	struct reading r = { .functions = functions,
		             .function = function,
		             .inlines = &functions->inlines };
	struct go_inlines *inlines = r.inlines;
	const struct go_pieces *pieces = &functions->pieces;

	clear_nodes(inlines);
	if (!array_grow(&inlines->node, &inlines->node_room, 1, sizeof(*inlines->node)))
		return false;
	inlines->node[0] = (struct go_node){ .index = -1 };
	inlines->nodes = 1;
	for (size_t i = 0; i < pieces->count; i++)
		if (pieces->piece[i].inlined >= 0 && !add_inlined_piece(&r, &pieces->piece[i]))
			return false;
	return order_nodes(inlines);
}

void go_inlines_finish(struct go_inlines *inlines)
{
	free(inlines->node);
	free(inlines->of_index);
	free(inlines->range);
	free(inlines->call);
	free(inlines->flat);
}
