/* SPDX-License-Identifier: MIT */
/*
 * Reads the inline tree of one function:
 *
 *	tree  = node                      the root: the function itself
 *	node  = ranges:uleb (start:uleb size:uleb)*ranges has_children:1 name:strp
 *	        call_file:uleb call_line:uleb [node* 0]
 *
 * Ranges are relative to the start of the function in the root, and to the parent's first range
 * elsewhere. A list of siblings ends with a 0 in place of another node's number of ranges.
 *
 * A lookup reads nodes sequentially and records the path from the root. Subtrees that do not
 * contain the address are skipped with a depth counter instead of recursion, so no input can
 * exhaust the stack.
 */
#include "gsym.h"

#include "leb.h"

static const char too_deep[] = "calls are inlined too deeply";

static void fail_at(struct gsym_tree *tree, size_t at, enum cairn_status status, const char *what)
{
	if (tree->fault.status == CAIRN_OK)
		tree->fault = (struct cairn_fault){ status, tree->data_at + at, what };
}

struct gsym_tree gsym_tree(const struct gsym *gsym, const struct gsym_block *inlines,
                           uint64_t start)
{
	return (struct gsym_tree){ .data = inlines->data,
		                   .data_at = inlines->at + 8,
		                   .start = start,
		                   .strp_size = gsym_strp_size(gsym),
		                   .big = gsym->big };
}

static void read_ranges(struct reader *in, uint64_t base, struct gsym_inline *node)
{
	node->ranges_at = (uint32_t)in->at;
	for (uint64_t i = 0; reader_ok(in) && i < node->ranges; i++) {
		uint64_t start = reader_uleb(in);
		reader_uleb(in);
		if (i == 0)
			node->first = base + start;
	}
	node->fixed_at = (uint32_t)in->at;
}

bool gsym_inline_at(struct gsym_tree *tree, uint32_t at, uint64_t base, struct gsym_inline *node)
{
	struct reader in = reader_open(tree->data, tree->big);
	struct gsym_inline n = { .at = at, .base = base };

	reader_seek(&in, at);
	n.ranges = reader_uleb(&in);
	if (reader_ok(&in) && n.ranges == 0)
		return false;
	read_ranges(&in, base, &n);
	n.has_children = reader_u8(&in) != 0;
	n.name = reader_word(&in, tree->strp_size == 8);
	n.file = reader_uleb(&in);
	n.line = reader_uleb(&in);
	if (!reader_ok(&in)) {
		fail_at(tree, (size_t)in.fault.offset, in.fault.status, in.fault.what);
		return false;
	}
	n.end = (uint32_t)in.at;
	*node = n;
	return true;
}

bool gsym_next_range(const struct gsym_tree *tree, const struct gsym_inline *node, uint32_t *at,
                     uint64_t *left, struct gsym_range *range)
{
	struct reader in = reader_open(tree->data, tree->big);

	if (*left == 0)
		return false;
	reader_seek(&in, *at);
	range->start = node->base + reader_uleb(&in);
	range->size = reader_uleb(&in);
	*at = (uint32_t)in.at;
	--*left;
	return reader_ok(&in);
}

void gsym_nodes_begin(struct gsym_nodes *nodes, const struct gsym_tree *tree)
{
	nodes->tree = *tree;
	nodes->at = nodes->depth = 0;
	nodes->started = nodes->done = false;
	nodes->bases[0] = tree->start;
}

/* Move up past the ends of sibling lists. Return false after the last node. */
static bool climb_past_siblings(struct gsym_nodes *nodes)
{
	const uint8_t *data = nodes->tree.data.data, *end = data + nodes->tree.data.size;
	uint64_t ranges;

	while (nodes->started && nodes->depth > 0) {
		const uint8_t *next = leb_unsigned(data + nodes->at, end, &ranges);
		if (!next || ranges != 0)
			return true;
		nodes->at = (uint32_t)(next - data);
		nodes->depth--;
	}
	return !nodes->started;
}

bool gsym_next_node(struct gsym_nodes *nodes, struct gsym_inline *node)
{
	if (nodes->done || !climb_past_siblings(nodes) || nodes->tree.fault.status != CAIRN_OK) {
		nodes->done = true;
		return false;
	}
	if (nodes->depth > GSYM_MAX_LEVELS)
		fail_at(&nodes->tree, nodes->at, CAIRN_MALFORMED, too_deep);
	if (nodes->tree.fault.status != CAIRN_OK ||
	    !gsym_inline_at(&nodes->tree, nodes->at, nodes->bases[nodes->depth], node)) {
		nodes->done = true;
		return false;
	}
	node->depth = nodes->depth;
	nodes->started = true;
	nodes->at = node->end;
	if (node->has_children && ++nodes->depth <= GSYM_MAX_LEVELS)
		nodes->bases[nodes->depth] = node->first;
	return true;
}

struct search {
	const uint8_t *p, *end, *node;
	uint64_t va;
	unsigned strp_size;
};

struct hit {
	uint64_t ranges, first;
	bool inside, has_children;
};

LEB_INLINE bool unit_walk_ranges(struct search *s, uint64_t base, struct hit *hit)
{
	const uint8_t *p = s->p;

	hit->inside = false;
	for (uint64_t i = 0; i < hit->ranges; i++) {
		uint64_t start, size;
		p = leb_unsigned(p, s->end, &start);
		if (!p)
			return false;
		p = leb_unsigned(p, s->end, &size);
		if (!p)
			return false;
		hit->first = i == 0 ? base + start : hit->first;
		hit->inside |= s->va - base - start < size;
	}
	s->p = p;
	return true;
}

/* Skip the name and call site, because a lookup needs them only for the innermost node. */
LEB_INLINE bool pass_fixed(struct search *s, struct hit *hit)
{
	uint64_t number;

	if ((size_t)(s->end - s->p) < 1 + s->strp_size)
		return false;
	hit->has_children = *s->p != 0;
	const uint8_t *p = leb_unsigned(s->p + 1 + s->strp_size, s->end, &number);
	if (p)
		p = leb_unsigned(p, s->end, &number);
	if (p)
		s->p = p;
	return p != NULL;
}

/*
 * Read one node without its children. At the end of a list of siblings, set hit->ranges to 0.
 * Return false if the node is invalid.
 */
LEB_INLINE bool pass_node(struct search *s, uint64_t base, struct hit *hit)
{
	s->node = s->p;
	hit->ranges = 0;
	const uint8_t *next = leb_unsigned(s->p, s->end, &hit->ranges);
	if (!next)
		return false;
	s->p = next;
	if (hit->ranges == 0)
		return true;
	return unit_walk_ranges(s, base, hit) && pass_fixed(s, hit);
}

static bool pass_children(struct search *s)
{
	/* cannot overflow: each level takes at least one byte, and the block size has 32 bits */
	uint32_t depth = 1;
	struct hit hit;

	while (depth > 0) {
		if (!pass_node(s, 0, &hit))
			return false;
		if (hit.ranges == 0)
			depth--;
		else
			depth += hit.has_children;
	}
	return true;
}

/*
 * Find the next sibling that contains the address. If no sibling contains it, set hit->ranges to 0.
 * Return false if a node is invalid.
 */
static bool find_sibling(struct search *s, uint64_t base, struct hit *hit)
{
	while (pass_node(s, base, hit)) {
		if (hit->ranges == 0 || hit->inside)
			return true;
		if (hit->has_children && !pass_children(s))
			return false;
	}
	return false;
}

static unsigned report_damaged_node(struct gsym_tree *tree, const struct search *s)
{
	struct gsym_inline node;
	uint32_t at = (uint32_t)(s->node - tree->data.data);

	if (gsym_inline_at(tree, at, 0, &node))
		fail_at(tree, at, CAIRN_MALFORMED, "the tree of inlined functions is damaged");
	return 0;
}

unsigned gsym_find_inlines(struct gsym_tree *tree, uint64_t va, uint32_t levels[GSYM_MAX_LEVELS],
                           struct gsym_inline *innermost)
{
	const uint8_t *data = tree->data.data;
	struct search s = { data, data + tree->data.size, data, va, tree->strp_size };
	struct hit hit;
	uint64_t base = tree->start;
	unsigned depth = 0;

	if (!pass_node(&s, base, &hit))
		return report_damaged_node(tree, &s);
	while (hit.ranges && hit.inside && hit.has_children) {
		uint64_t parent = hit.first;
		if (!find_sibling(&s, parent, &hit))
			return report_damaged_node(tree, &s);
		if (hit.ranges == 0)
			break;
		if (depth == GSYM_MAX_LEVELS) {
			fail_at(tree, (size_t)(s.node - data), CAIRN_MALFORMED, too_deep);
			return 0;
		}
		levels[depth++] = (uint32_t)(s.node - data);
		base = parent;
	}
	if (depth > 0 && !gsym_inline_at(tree, levels[depth - 1], base, innermost))
		return 0;
	return depth;
}
