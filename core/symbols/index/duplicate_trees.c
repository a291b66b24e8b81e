/* SPDX-License-Identifier: MIT */
/*
 * Detects a tree that occurs twice. Code that several units have is often described by each. Depths
 * are not kept, so that only those are compared that leave out none; they are what compilers make.
 */
#include "segments.h"

/* Without the gap after it. */
static uint32_t own_segments(const struct index_build *b, const struct tree *t)
{
	return t->segments - (b->out.node[t->segment + t->segments - 1] == SYMBFILE_NONE);
}

static uint64_t node_va(const struct index_build *b, uint32_t node)
{
	return b->out.wide ? ((uint64_t *)b->nodes.start)[node]
	                   : ((uint32_t *)b->nodes.start)[node];
}

/* A number as it is in a tree, wherever its nodes begin. */
static uint32_t in_tree(uint32_t node, const struct tree *t)
{
	return node == SYMBFILE_NONE ? node : node - t->node;
}

static bool same_nodes(const struct index_build *b, const struct tree *x, const struct tree *y)
{
	if (x->nodes != y->nodes)
		return false;
	for (uint32_t i = 0; i < x->nodes; i++) {
		const struct symbfile_node *a = &b->nodes.node[x->node + i];
		const struct symbfile_node *c = &b->nodes.node[y->node + i];
		if (a->function != c->function || a->file != c->file ||
		    a->call_file != c->call_file || a->call_line != c->call_line ||
		    in_tree(a->parent, x) != in_tree(c->parent, y) ||
		    node_va(b, x->node + i) != node_va(b, y->node + i))
			return false;
	}
	return true;
}

static bool is_same_tree(const struct index_build *b, const struct tree *x, const struct tree *y)
{
	if (x->low != y->low || x->last != y->last || x->odd || y->odd)
		return false;
	uint32_t count = own_segments(b, x);
	if (count != own_segments(b, y))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = x->segment + i, m = y->segment + i;
		if (segment_va(&b->out, k) != segment_va(&b->out, m) ||
		    b->out.line[k] != b->out.line[m] ||
		    in_tree(b->out.node[k], x) != in_tree(b->out.node[m], y))
			return false;
	}
	return same_nodes(b, x, y);
}

size_t build_drop_duplicates(const struct index_build *b, struct tree *trees, size_t count)
{
	size_t kept = count > 0;

	for (size_t i = 1; i < count; i++)
		if (!is_same_tree(b, &trees[kept - 1], &trees[i]))
			trees[kept++] = trees[i];
	return kept;
}
