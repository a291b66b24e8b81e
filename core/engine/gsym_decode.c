/* SPDX-License-Identifier: MIT */
/*
 * Decoding goes over the record twice: to count, so that all memory is had at once, and to fill it.
 * The code is cut wherever a row or a range begins or ends; then each node in the order of the file
 * takes the pieces in its ranges that are its parent's.  So the first of overlapping siblings wins,
 * and what lies outside the parent is not reached, as in a lookup that reads the tree.
 */
#include "gsym_decode.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAINT_FACTOR = 256, /* times the pieces: more work than that is a hostile tree */
	PAINT_EXTRA = 4096,
};

/* A range of a node, as offsets from the function's start. */
struct span {
	uint32_t low, high, node;
};

struct row {
	uint32_t start, file, line;
};

struct work {
	const struct gsym *gsym;
	const struct gsym_function *function;
	struct gsym_block lines, inlines;
	bool has_folded;
	size_t rows, nodes, spans, pieces;
	struct row *row;
	struct decoded_node *node;
	struct span *span;
	uint32_t *cut, *start;
	struct decoded_piece *piece;
};

/* The blocks; false when one is cut off or there are two of a kind. */
static bool find_blocks(struct work *w)
{
	struct gsym_blocks blocks = gsym_blocks(w->gsym, w->function);
	struct gsym_block block;
	unsigned lines = 0, inlines = 0;

	while (gsym_next_block(&blocks, &block)) {
		if (block.type == GSYM_LINES) {
			w->lines = block;
			lines++;
		} else if (block.type == GSYM_INLINES) {
			w->inlines = block;
			inlines++;
		} else if (block.type == GSYM_MERGED) {
			w->has_folded = true;
		}
	}
	return blocks.in.fault.status == CAIRN_OK && lines <= 1 && inlines <= 1;
}

static bool has_file(const struct gsym *gsym, uint64_t file)
{
	return file == 0 || gsym_has_file(gsym, file);
}

/*
 * Where a row begins to hold, as an offset.  A row in front of the function holds from its start; a
 * row that goes back holds from where the one before it did.
 */
static uint32_t row_start(const struct work *w, const struct gsym_row *row, uint32_t before)
{
	uint64_t start = w->function->start;
	uint64_t offset = row->va < start ? 0 : row->va - start;

	offset = offset < UINT32_MAX ? offset : UINT32_MAX;
	return offset > before ? (uint32_t)offset : before;
}

/* Is the row one of its own?  Of rows at one offset the last counts; equal places are one. */
static void take_row(struct work *w, const struct gsym_row *row)
{
	struct row *last = w->rows ? &w->row[w->rows - 1] : NULL;
	struct row r = { row_start(w, row, last ? last->start : 0), row->file, row->line };

	if (last && last->start == r.start)
		*last = r;
	else
		w->row[w->rows++] = r;
}

static bool count_rows(struct work *w)
{
	struct gsym_row row;

	if (w->lines.type == GSYM_END)
		return true;
	struct gsym_rows rows = gsym_rows(&w->lines, w->function->start);
	while (gsym_next_row(&rows, &row)) {
		if (!has_file(w->gsym, row.file))
			return false;
		w->rows++;
	}
	return rows.fault.status == CAIRN_OK;
}

static void fill_rows(struct work *w)
{
	struct gsym_row row;

	w->rows = 0;
	if (w->lines.type == GSYM_END)
		return;
	struct gsym_rows rows = gsym_rows(&w->lines, w->function->start);
	while (gsym_next_row(&rows, &row))
		take_row(w, &row);
}

static bool count_nodes(struct work *w)
{
	struct gsym_tree tree = gsym_tree(w->gsym, &w->inlines, w->function->start);
	struct gsym_nodes nodes;
	struct gsym_inline node;

	w->nodes = 1; /* DECODED_OUTSIDE */
	if (w->inlines.type == GSYM_END)
		return true;
	gsym_nodes_begin(&nodes, &tree);
	while (gsym_next_node(&nodes, &node)) {
		if (!gsym_has_string(w->gsym, node.name) || !has_file(w->gsym, node.file))
			return false;
		w->nodes++;
		w->spans += (size_t)node.ranges;
	}
	return nodes.tree.fault.status == CAIRN_OK;
}

/*
 * A range as a span; false when it wraps around the address space in a way that only a hostile file
 * has.  One that lies behind all offsets we keep becomes empty.
 */
static bool make_span(const struct work *w, const struct gsym_range *range, uint32_t node,
                      struct span *span)
{
	uint64_t low = range->start - w->function->start;

	if (range->size > UINT64_MAX - low)
		return false;
	uint64_t high = low + range->size;
	span->low = low < UINT32_MAX ? (uint32_t)low : UINT32_MAX;
	span->high = high < UINT32_MAX ? (uint32_t)high : UINT32_MAX;
	span->node = node;
	return true;
}

static bool fill_spans(struct work *w, const struct gsym_tree *tree, const struct gsym_inline *node,
                       uint32_t id)
{
	struct gsym_range range;
	uint32_t at = node->ranges_at;
	uint64_t left = node->ranges;

	while (gsym_next_range(tree, node, &at, &left, &range))
		if (!make_span(w, &range, id, &w->span[w->spans++]))
			return false;
	return true;
}

static bool fill_nodes(struct work *w)
{
	struct gsym_tree tree = gsym_tree(w->gsym, &w->inlines, w->function->start);
	uint32_t path[GSYM_MAX_LEVELS + 2] = { DECODED_OUTSIDE };
	struct gsym_nodes nodes;
	struct gsym_inline node;

	w->nodes = 1;
	w->spans = 0;
	if (w->inlines.type == GSYM_END)
		return true;
	gsym_nodes_begin(&nodes, &tree);
	while (gsym_next_node(&nodes, &node)) {
		uint32_t id = (uint32_t)w->nodes++;
		path[node.depth + 1] = id;
		w->node[id] = (struct decoded_node){ .start = node.first,
			                             .name = node.name,
			                             .name_size = DECODED_UNMEASURED,
			                             .parent = path[node.depth],
			                             .call_file = (uint32_t)node.file,
			                             .call_line = (uint32_t)node.line };
		if (!fill_spans(w, &tree, &node, id))
			return false;
	}
	return true;
}

static int ascending(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return a < b ? -1 : a > b;
}

/* The ends of all spans, sorted. */
static size_t fill_cuts(struct work *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->spans; i++) {
		w->cut[count++] = w->span[i].low;
		w->cut[count++] = w->span[i].high;
	}
	qsort(w->cut, count, sizeof(*w->cut), ascending);
	return count;
}

static void add_start(struct work *w, uint32_t start)
{
	if (w->pieces == 0 || w->start[w->pieces - 1] != start)
		w->start[w->pieces++] = start;
}

/* Merges rows and cuts into the starts of pieces; the first is 0. */
static void fill_starts(struct work *w)
{
	size_t cuts = fill_cuts(w), row = 0, cut = 0;

	w->pieces = 0;
	add_start(w, 0);
	while (row < w->rows || cut < cuts) {
		bool take = cut == cuts || (row < w->rows && w->row[row].start <= w->cut[cut]);
		add_start(w, take ? w->row[row++].start : w->cut[cut++]);
	}
}

static void fill_places(struct work *w)
{
	size_t row = 0;

	for (size_t i = 0; i < w->pieces; i++) {
		while (row < w->rows && w->row[row].start <= w->start[i])
			row++;
		struct decoded_piece piece = { DECODED_NO_PLACE, 0, DECODED_OUTSIDE };
		if (row > 0) {
			piece.file = w->row[row - 1].file;
			piece.line = w->row[row - 1].line;
		}
		w->piece[i] = piece;
	}
}

static size_t first_at(const struct work *w, uint32_t start)
{
	size_t low = 0, high = w->pieces;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (w->start[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Gives the nodes their pieces; false when that is too much work. */
static bool paint(struct work *w)
{
	size_t budget = PAINT_FACTOR * w->pieces + PAINT_EXTRA;

	for (size_t i = 0; i < w->spans; i++) {
		const struct span *s = &w->span[i];
		uint32_t parent = w->node[s->node].parent;
		for (size_t p = first_at(w, s->low); p < w->pieces && w->start[p] < s->high; p++) {
			if (budget-- == 0)
				return false;
			if (w->piece[p].node == parent)
				w->piece[p].node = s->node;
		}
	}
	return true;
}

static bool is_same(const struct decoded_piece *a, const struct decoded_piece *b)
{
	return a->file == b->file && a->line == b->line && a->node == b->node;
}

/* Joins equal neighbours. */
static void join(struct work *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->pieces; i++) {
		if (kept > 0 && is_same(&w->piece[kept - 1], &w->piece[i]))
			continue;
		w->piece[kept] = w->piece[i];
		w->start[kept++] = w->start[i];
	}
	w->pieces = kept;
}

/* Room for all parts in one piece of memory, the widest items first; NULL when it is too much. */
static void *take_memory(struct work *w, size_t limit)
{
	size_t cuts = 2 * w->spans, pieces = w->rows + cuts + 1;
	uint64_t sum = (uint64_t)w->nodes * sizeof(*w->node) + w->rows * sizeof(*w->row) +
	               w->spans * sizeof(*w->span) + pieces * sizeof(*w->piece) +
	               (cuts + pieces) * sizeof(uint32_t) +
	               2 * (DECODED_ALIGN + sizeof(struct decoded_leaf));
	uint8_t *memory = sum <= limit ? malloc((size_t)sum) : NULL;

	if (!memory)
		return NULL;
	w->node = (void *)memory;
	w->row = (void *)(w->node + w->nodes);
	w->span = (void *)(w->row + w->rows);
	w->piece = (void *)(w->span + w->spans);
	w->cut = (void *)(w->piece + pieces);
	w->start = w->cut + cuts;
	return memory;
}

static bool starts_alone(const struct gsym *gsym, uint32_t index)
{
	uint64_t offset = gsym_offset(gsym, index);

	return (index == 0 || gsym_offset(gsym, index - 1) != offset) &&
	       (index + 1 == gsym->functions || gsym_offset(gsym, index + 1) != offset);
}

static size_t aligned(size_t size)
{
	return (size + DECODED_ALIGN - 1) & ~(size_t)(DECODED_ALIGN - 1);
}

static void fill_leaves(const struct work *w, struct decoded *d)
{
	for (uint32_t l = 0; l < d->leaf_count; l++) {
		struct decoded_leaf *leaf = &d->leaves[l];
		for (size_t i = 0; i < DECODED_LEAF; i++) {
			size_t at = (size_t)l * DECODED_LEAF + i;
			bool there = at < w->pieces;
			leaf->start[i] = there ? w->start[at] : UINT32_MAX;
			leaf->piece[i] = w->piece[there ? at : 0];
		}
		d->top[l] = leaf->start[0];
	}
}

/* The result, from what the work has gathered. */
static struct decoded *make_decoded(const struct work *w)
{
	size_t leaves = (w->pieces + DECODED_LEAF - 1) / DECODED_LEAF;
	size_t head = aligned(sizeof(struct decoded) + leaves * sizeof(uint32_t));
	size_t body = leaves * sizeof(struct decoded_leaf);
	size_t bytes = aligned(head + body + w->nodes * sizeof(*w->node));
	struct decoded *d = aligned_alloc(DECODED_ALIGN, bytes);

	if (!d)
		return NULL;
	*d = (struct decoded){ .start = w->function->start,
		               .name = w->function->name,
		               .name_size = DECODED_UNMEASURED,
		               .index = w->function->index,
		               .size = w->function->size,
		               .leaf_count = (uint32_t)leaves,
		               .has_folded = w->has_folded,
		               .is_alone = starts_alone(w->gsym, w->function->index),
		               .bytes = bytes };
	d->leaves = (void *)((uint8_t *)d + head);
	d->nodes = (void *)((uint8_t *)d->leaves + body);
	fill_leaves(w, d);
	memcpy(d->nodes, w->node, w->nodes * sizeof(*w->node));
	return d;
}

static struct decoded *decode(struct work *w)
{
	w->node[DECODED_OUTSIDE] = (struct decoded_node){ .parent = DECODED_OUTSIDE };
	fill_rows(w);
	if (!fill_nodes(w))
		return NULL;
	fill_starts(w);
	fill_places(w);
	if (!paint(w))
		return NULL;
	join(w);
	return make_decoded(w);
}

struct decoded *decode_function(const struct gsym *gsym, const struct gsym_function *function,
                                size_t limit)
{
	struct work w = { .gsym = gsym, .function = function };

	if (!gsym_has_string(gsym, function->name) || !find_blocks(&w) || !count_rows(&w) ||
	    !count_nodes(&w))
		return NULL;
	void *memory = take_memory(&w, limit);
	if (!memory)
		return NULL;
	struct decoded *decoded = decode(&w);
	free(memory);
	return decoded;
}
