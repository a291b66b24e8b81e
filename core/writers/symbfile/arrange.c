/* SPDX-License-Identifier: MIT */
/*
 * Decides which function owns each address. Trees of debugging information first: from the lowest
 * start to the highest, with a stack of those that have begun, because the one that began last has it,
 * and of equal starts the one that came first. Then symbols, of which only those count that touch
 * nothing yet.
 */
#include "trees.h"

#include "base/order.h"
#include "symbols/index/segments.h"

#include <stdlib.h>

/* By start; of equal ones, those that are to be on top come last. */
static int compare_trees(const void *left, const void *right)
{
	const struct maker_tree *a = *(const struct maker_tree *const *)left;
	const struct maker_tree *b = *(const struct maker_tree *const *)right;

	return ORDER_BY(a->start, b->start,
	                ORDER_BY(b->source, a->source,
	                         ORDER_BY(b->unit, a->unit, ORDER_BY(b->order, a->order, 0))));
}

/* Symbols without size reach to what begins next. */
static size_t size_symbol_trees(struct symbfile_maker *m, struct maker_tree **tree, size_t count)
{
	uint64_t next = 0, start = 0;
	bool has_next = false;
	size_t kept = count;

	for (size_t i = count; i-- > 0;) {
		if (i + 1 < count && tree[i]->start != start) {
			next = start;
			has_next = true;
		}
		start = tree[i]->start;
		if (tree[i]->end != tree[i]->start)
			continue;
		if (!has_next)
			continue;
		tree[i]->end = next;
		struct maker_record *record = m->shard[tree[i]->shard]->record + tree[i]->record;
		for (uint32_t r = 0; r < tree[i]->records; r++)
			record[r].end = next;
	}
	kept = 0;
	for (size_t i = 0; i < count; i++)
		if (tree[i]->end != tree[i]->start)
			tree[kept++] = tree[i];
	m->summary.sizeless += count - kept;
	return kept;
}

static bool append_tree_piece(struct symbfile_maker *m, const struct maker_tree *tree,
                              uint64_t start, uint64_t end)
{
	struct maker_piece *last = m->pieces ? &m->piece[m->pieces - 1] : NULL;

	if (last && last->tree == tree && last->end == start) {
		last->end = end;
		return true;
	}
	return ARRAY_APPEND(m->piece, m->pieces, m->piece_room,
	                    (struct maker_piece){ start, end, tree });
}

/* The pieces of trees in order, with a stack as large as they are many. */
static bool sweep_trees(struct symbfile_maker *m, struct maker_tree **tree, size_t count,
                        struct maker_tree **stack)
{
	size_t depth = 0, next = 0;
	uint64_t at = 0;

	while (next < count || depth > 0) {
		while (depth > 0 && stack[depth - 1]->end <= at)
			depth--;
		if (depth == 0 && next < count && tree[next]->start > at)
			at = tree[next]->start;
		while (next < count && tree[next]->start <= at)
			stack[depth++] = tree[next++];
		while (depth > 0 && stack[depth - 1]->end <= at)
			depth--;
		if (depth == 0)
			continue;
		uint64_t end = stack[depth - 1]->end;
		if (next < count && tree[next]->start < end)
			end = tree[next]->start;
		if (!append_tree_piece(m, stack[depth - 1], at, end))
			return false;
		at = end;
	}
	return true;
}

/* Takes out the symbols that touch a piece of something better; both are in order. */
static size_t drop_covered(struct symbfile_maker *m, struct maker_tree **tree, size_t count)
{
	size_t kept = 0, piece = 0;

	for (size_t i = 0; i < count; i++) {
		while (piece < m->pieces && m->piece[piece].end <= tree[i]->start)
			piece++;
		if (tree[i]->source == FUNCTION_SYMBOL && piece < m->pieces &&
		    m->piece[piece].start < tree[i]->end)
			m->summary.covered++;
		else
			tree[kept++] = tree[i];
	}
	return kept;
}

static size_t select_debug_trees(struct maker_tree **tree, size_t count, struct maker_tree **debug)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (tree[i]->source == FUNCTION_DEBUG)
			debug[kept++] = tree[i];
	return kept;
}

static enum cairn_status arrange_trees(struct symbfile_maker *m, struct maker_tree **tree,
                                       size_t count, struct maker_tree **scratch)
{
	struct maker_tree **debug = scratch + count;

	qsort(tree, count, sizeof(*tree), compare_trees);
	count = size_symbol_trees(m, tree, count);
	size_t debugs = select_debug_trees(tree, count, debug);
	if (!sweep_trees(m, debug, debugs, scratch))
		return CAIRN_NO_MEMORY;
	if (debugs == count)
		return CAIRN_OK;
	count = drop_covered(m, tree, count);
	m->pieces = 0;
	return sweep_trees(m, tree, count, scratch) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

/* Trees that have a piece count as functions, once each. */
static void count_functions(struct symbfile_maker *m, size_t trees)
{
	uint64_t written = 0;

	for (size_t i = 0; i < m->pieces; i++) {
		const struct maker_tree *tree = m->piece[i].tree;
		bool first = m->piece[i].start == tree->start;
		written += first;
		m->summary.symbols += first && tree->source == FUNCTION_SYMBOL;
	}
	m->summary.functions = written;
	m->summary.repeated += trees - written - m->summary.covered - m->summary.sizeless;
}

enum cairn_status arrange_pieces(struct symbfile_maker *m)
{
	size_t count = 0;

	for (unsigned i = 0; i < m->shards; i++)
		count += m->shard[i]->trees;
	struct maker_tree **tree = malloc((count + 1) * 3 * sizeof(struct maker_tree *));
	if (!tree)
		return CAIRN_NO_MEMORY;
	size_t at = 0;
	for (unsigned i = 0; i < m->shards; i++)
		for (size_t t = 0; t < m->shard[i]->trees; t++)
			tree[at++] = &m->shard[i]->tree[t];
	enum cairn_status status = arrange_trees(m, tree, count, tree + count);
	free(tree);
	if (status == CAIRN_OK)
		count_functions(m, count);
	return status;
}
