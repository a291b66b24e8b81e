/* SPDX-License-Identifier: MIT */
/*
 * Decoding goes over the record twice: to count, so that all memory is had at once, and to fill it.
 */
#include "gsym_pieces.h"

#include "formats/gsym/columns.h"

#include <stdlib.h>
#include <string.h>

/* The blocks; false when one is cut off, or there are two of a kind. */
static bool find_blocks(struct gsym_pieces *w)
{
	struct gsym_blocks blocks = gsym_blocks(w->gsym, w->function);
	struct gsym_block block;
	unsigned lines = 0, inlines = 0, columns = 0;

	while (gsym_next_block(&blocks, &block)) {
		if (block.type == GSYM_LINES) {
			w->lines = block;
			lines++;
		} else if (block.type == GSYM_INLINES) {
			w->inlines = block;
			inlines++;
		} else if (block.type == GSYM_MERGED) {
			w->has_folded = true;
		} else if (block.type == GSYM_COLUMNS) {
			w->columns = block;
			columns++;
		}
	}
	return blocks.in.fault.status == CAIRN_OK && lines <= 1 && inlines <= 1 && columns <= 1;
}

static bool has_file(const struct gsym *gsym, uint64_t file)
{
	return file == 0 || gsym_has_file(gsym, file);
}

/*
 * Where a row begins to hold, as an offset.  A row in front of the function holds from its start; a
 * row that goes back holds from where the one before it did.
 */
static uint32_t row_start(const struct gsym_pieces *w, const struct gsym_row *row, uint32_t before)
{
	uint64_t start = w->function->start;
	uint64_t offset = row->va < start ? 0 : row->va - start;

	offset = offset < UINT32_MAX ? offset : UINT32_MAX;
	return offset > before ? (uint32_t)offset : before;
}

/* Is the row one of its own?  Of rows at one offset the last counts; equal places are one. */
static void append_or_replace_row(struct gsym_pieces *w, const struct gsym_row *row)
{
	struct gsym_pieces_row *last = w->rows ? &w->row[w->rows - 1] : NULL;
	struct gsym_pieces_row r = { row_start(w, row, last ? last->start : 0), row->file,
		                     row->line };

	if (last && last->start == r.start)
		*last = r;
	else
		w->row[w->rows++] = r;
}

static bool count_rows(struct gsym_pieces *w)
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

static void fill_rows(struct gsym_pieces *w)
{
	struct gsym_row row;

	w->rows = 0;
	if (w->lines.type == GSYM_END)
		return;
	struct gsym_rows rows = gsym_rows(&w->lines, w->function->start);
	while (gsym_next_row(&rows, &row))
		append_or_replace_row(w, &row);
}

static bool count_nodes(struct gsym_pieces *w)
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

/* The rows of columns, and whether there are columns for all calls; those of other blocks are read each time. */
static bool count_column_rows(struct gsym_pieces *w)
{
	struct gsym_columns columns = gsym_columns(&w->columns);

	if (w->columns.type == GSYM_END)
		return true;
	while (gsym_next_column_row(&columns))
		w->column_rows++;
	for (size_t node = DECODED_ROOT + 1; node < w->nodes; node++)
		if (!gsym_next_call_column(&columns))
			return false;
	return columns.at != NULL;
}

static void fill_column_rows(struct gsym_pieces *w)
{
	struct gsym_columns columns = gsym_columns(&w->columns);

	for (size_t i = 0; gsym_next_column_row(&columns); i++) {
		const uint64_t start = columns.offset < UINT32_MAX ? columns.offset : UINT32_MAX;
		w->column_row[i] =
			(struct gsym_pieces_column){ (uint32_t)start, (uint32_t)columns.column };
	}
	w->call_column[DECODED_OUTSIDE] = w->call_column[DECODED_ROOT] = 0;
	for (size_t node = DECODED_ROOT + 1; node < w->nodes && gsym_next_call_column(&columns);
	     node++)
		w->call_column[node] = (uint32_t)columns.column;
}

/*
 * A range as a span; false when it wraps around the address space in a way that only a hostile file
 * has.  One that is after all offsets we keep becomes empty.
 */
static bool make_span(const struct gsym_pieces *w, const struct gsym_range *range, uint32_t node,
                      struct gsym_pieces_range *span)
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

static bool fill_spans(struct gsym_pieces *w, const struct gsym_tree *tree,
                       const struct gsym_inline *node, uint32_t id)
{
	struct gsym_range range;
	uint32_t at = node->ranges_at;
	uint64_t left = node->ranges;

	while (gsym_next_range(tree, node, &at, &left, &range))
		if (range.size > 0 && !make_span(w, &range, id, &w->span[w->spans++]))
			return false;
	return true;
}

static bool fill_nodes(struct gsym_pieces *w)
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
		uint64_t start = node.first - tree.start;
		if (node.name >= DECODED_NAME_OFFSETS || start >= DECODED_REACH)
			return false;
		uint32_t id = (uint32_t)w->nodes++;
		path[node.depth + 1] = id;
		w->node[id] = (struct decoded_node){ .name = node.name | DECODED_NAME_UNMEASURED,
			                             .start = (uint32_t)start,
			                             .parent = path[node.depth],
			                             .call_file = (uint32_t)node.file,
			                             .call_line = (uint32_t)node.line };
		if (!fill_spans(w, &tree, &node, id))
			return false;
	}
	return true;
}

/* Room for all parts in one piece of memory, the widest items first; NULL when it is too much. */
static void *allocate_work_memory(struct gsym_pieces *w, size_t limit)
{
	size_t cuts = 2 * w->spans + w->column_rows, pieces = w->rows + cuts + 1;
	const bool columns = w->columns.type == GSYM_COLUMNS;
	const size_t nodes = w->nodes > DECODED_ROOT ? w->nodes : DECODED_ROOT + 1;
	uint64_t sum = (uint64_t)w->nodes * sizeof(*w->node) + w->rows * sizeof(*w->row) +
	               w->spans * sizeof(*w->span) + pieces * sizeof(*w->piece) +
	               w->column_rows * sizeof(*w->column_row) +
	               (2 * cuts + pieces + (columns ? pieces + nodes : 0)) * sizeof(uint32_t) +
	               2 * (DECODED_ALIGN + sizeof(struct decoded_leaf));
	uint8_t *memory = sum <= limit ? malloc((size_t)sum) : NULL;

	if (!memory)
		return NULL;
	w->node = (void *)memory;
	w->row = (void *)(w->node + w->nodes);
	w->span = (void *)(w->row + w->rows);
	w->column_row = (void *)(w->span + w->spans);
	w->piece = (void *)(w->column_row + w->column_rows);
	w->cut = (void *)(w->piece + pieces);
	w->spare = w->cut + cuts;
	w->start = w->spare + cuts;
	w->column = columns ? w->start + pieces : NULL;
	w->call_column = columns ? w->column + pieces : NULL;
	return memory;
}

static bool starts_alone(const struct gsym *gsym, uint32_t index)
{
	uint64_t offset = gsym_offset(gsym, index);

	return (index == 0 || gsym_offset(gsym, index - 1) != offset) &&
	       (index + 1 == gsym->functions || gsym_offset(gsym, index + 1) != offset);
}

static size_t align_decoded_size(size_t size)
{
	return (size + DECODED_ALIGN - 1) & ~(size_t)(DECODED_ALIGN - 1);
}

static void fill_leaves(const struct gsym_pieces *w, struct decoded *d)
{
	for (uint32_t l = 0; l < d->leaf_count; l++) {
		struct decoded_leaf *leaf = &decoded_leaves(d)[l];
		for (size_t i = 0; i < DECODED_LEAF; i++) {
			size_t at = (size_t)l * DECODED_LEAF + i;
			bool there = at < w->pieces;
			leaf->start[i] = there ? w->start[at] : UINT32_MAX;
			leaf->piece[i] = w->piece[there ? at : 0];
		}
		d->top[l] = leaf->start[0];
	}
}

static void fill_columns(const struct gsym_pieces *w, struct decoded *d)
{
	const size_t places = (size_t)d->leaf_count * DECODED_LEAF;
	uint32_t *columns = (uint32_t *)(void *)((uint8_t *)d + d->columns_at);

	for (size_t i = 0; i < places; i++)
		columns[i] = w->column[i < w->pieces ? i : 0];
	memcpy(columns + places, w->call_column, w->nodes * sizeof(*columns));
}

/* The result, from what the work has gathered. */
static struct decoded *make_decoded(const struct gsym_pieces *w)
{
	size_t leaves = (w->pieces + DECODED_LEAF - 1) / DECODED_LEAF;
	size_t head = align_decoded_size(sizeof(struct decoded) + leaves * sizeof(uint32_t));
	size_t body = leaves * sizeof(struct decoded_leaf);
	size_t nodes = w->nodes * sizeof(*w->node);
	size_t columns = w->column ? (leaves * DECODED_LEAF + w->nodes) * sizeof(uint32_t) : 0;
	size_t bytes = align_decoded_size(head + body + nodes + columns);
	const bool alone = starts_alone(w->gsym, w->function->index);
	struct decoded *d = bytes <= UINT32_MAX ? aligned_alloc(DECODED_ALIGN, bytes) : NULL;

	if (!d)
		return NULL;
	*d = (struct decoded){ .start = w->function->start,
		               .name = w->function->name | DECODED_NAME_UNMEASURED,
		               .index = w->function->index,
		               .size = w->function->size,
		               .leaf_count = (uint32_t)leaves,
		               .has_folded = w->has_folded,
		               .is_alone = alone,
		               .is_plain = alone && !columns,
		               .bytes = (uint32_t)bytes,
		               .leaves_at = (uint32_t)head,
		               .nodes_at = (uint32_t)(head + body),
		               .columns_at = columns ? (uint32_t)(head + body + nodes) : 0 };
	fill_leaves(w, d);
	memcpy(decoded_nodes(d), w->node, nodes);
	if (columns)
		fill_columns(w, d);
	return d;
}

static struct decoded *decode_work(struct gsym_pieces *w)
{
	w->node[DECODED_OUTSIDE] = (struct decoded_node){ .parent = DECODED_OUTSIDE };
	fill_rows(w);
	if (w->column)
		fill_column_rows(w);
	if (!fill_nodes(w))
		return NULL;
	return gsym_pieces_make(w) ? make_decoded(w) : NULL;
}

struct decoded *decode_function(const struct gsym *gsym, const struct gsym_function *function,
                                size_t limit)
{
	struct gsym_pieces w = { .gsym = gsym, .function = function };

	if (!gsym_has_string(gsym, function->name) || function->name >= DECODED_NAME_OFFSETS ||
	    !find_blocks(&w) || !count_rows(&w) || !count_nodes(&w) || !count_column_rows(&w))
		return NULL;
	void *memory = allocate_work_memory(&w, limit);
	if (!memory)
		return NULL;
	struct decoded *decoded = decode_work(&w);
	free(memory);
	return decoded;
}

struct cairn_bytes decoded_name(const struct gsym *gsym, uint64_t *name)
{
	uint64_t offset = *name & (DECODED_NAME_OFFSETS - 1), size = *name >> 40;
	struct cairn_bytes text;

	if (size != DECODED_NAME_UNMEASURED >> 40)
		return (struct cairn_bytes){ gsym->strings.data + offset, (size_t)size };
	gsym_string(gsym, offset, &text);
	if (text.size < size)
		*name = offset | (uint64_t)text.size << 40;
	return text;
}
