/* SPDX-License-Identifier: MIT */
/*
 * Decodes functions and caches them. To decode a function, its rows and the ranges of its inlined
 * calls are cut into pieces with one result each, which are stored in a single block (struct
 * decoded). The cache keeps as many decoded functions as its limit allows.
 */
#include "gsym_cache.h"

#include "base/invariant.h"
#include "base/sort.h"
#include "formats/gsym/gsym.h"

#include <stdlib.h>
#include <string.h>

struct gsym_pieces_range {
	uint32_t low, high, node;
};

struct gsym_pieces_row {
	uint32_t start, file, line;
};

struct gsym_pieces_column {
	uint32_t start, column;
};

struct gsym_pieces {
	const struct gsym *gsym;
	const struct gsym_function *function;
	struct gsym_block lines, inlines, columns;
	bool has_folded;
	size_t rows, nodes, spans, column_rows, pieces;
	struct gsym_pieces_row *row;
	struct decoded_node *node;
	struct gsym_pieces_range *span;
	struct gsym_pieces_column *column_row;
	uint32_t *cut, *spare, *start;
	struct decoded_piece *piece;
	/* columns of the pieces, and of the nodes; NULL if there are no columns */
	uint32_t *column, *call_column;
};

/*
 * The code is cut wherever a row or range begins or ends. Then each node, in file order, takes the
 * pieces in its ranges that belong to its parent. As in a lookup in the tree, the first of several
 * overlapping siblings wins, and code outside the parent is ignored.
 */
enum {
	PAINT_FACTOR = 256, /* maximum number of steps per piece; only crafted trees exceed it */
	PAINT_EXTRA = 4096,
};

static void merge_cuts(const uint32_t *from, uint32_t *to, size_t low, size_t middle, size_t high)
{
	size_t left = low, right = middle;

	for (size_t i = low; i < high; i++) {
		bool take_left = left < middle && (right == high || from[left] <= from[right]);
		to[i] = take_left ? from[left++] : from[right++];
	}
}

/*
 * Sort w->cut, with w->spare as a buffer. Faster than qsort(), which compares through a function
 * pointer.
 */
static void sort_cuts(struct gsym_pieces *w, size_t count)
{
	for (size_t width = 1; width < count; width *= 2) {
		uint32_t *from = w->cut;
		for (size_t low = 0; low < count; low += 2 * width) {
			size_t middle = low + width < count ? low + width : count;
			size_t high = middle + width < count ? middle + width : count;
			merge_cuts(from, w->spare, low, middle, high);
		}
		w->cut = w->spare;
		w->spare = from;
	}
}

/*
 * Collect the bounds of all spans and the starts of all column rows, in ascending order. Returns
 * their number.
 */
static size_t fill_cuts(struct gsym_pieces *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->spans; i++) {
		w->cut[count++] = w->span[i].low;
		w->cut[count++] = w->span[i].high;
	}
	for (size_t i = 0; i < w->column_rows; i++)
		w->cut[count++] = w->column_row[i].start;
	sort_cuts(w, count);
	return count;
}

static void add_start(struct gsym_pieces *w, uint32_t start)
{
	if (w->pieces == 0 || w->start[w->pieces - 1] != start)
		w->start[w->pieces++] = start;
}

/* Merge rows and cuts into the starts of the pieces. The first start is 0. */
static void fill_starts(struct gsym_pieces *w)
{
	size_t cuts = fill_cuts(w), row = 0, cut = 0;

	w->pieces = 0;
	add_start(w, 0);
	while (row < w->rows || cut < cuts) {
		bool take = cut == cuts || (row < w->rows && w->row[row].start <= w->cut[cut]);
		add_start(w, take ? w->row[row++].start : w->cut[cut++]);
	}
}

static void fill_places(struct gsym_pieces *w)
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

static void fill_piece_columns(struct gsym_pieces *w)
{
	size_t row = 0;

	for (size_t i = 0; i < w->pieces; i++) {
		while (row < w->column_rows && w->column_row[row].start <= w->start[i])
			row++;
		w->column[i] = row > 0 ? w->column_row[row - 1].column : 0;
	}
}

static bool assign_nodes_to_pieces(struct gsym_pieces *w)
{
	size_t budget = PAINT_FACTOR * w->pieces + PAINT_EXTRA;

	for (size_t i = 0; i < w->spans; i++) {
		const struct gsym_pieces_range *s = &w->span[i];
		uint32_t parent = w->node[s->node].parent;
		struct bisection search = bisect_begin(w->pieces);
		while (search.low < search.high)
			bisect_narrow(&search, w->start[search.middle] < s->low);
		for (size_t p = search.low; p < w->pieces && w->start[p] < s->high; p++) {
			if (budget-- == 0)
				return false;
			if (w->piece[p].node == parent)
				w->piece[p].node = s->node;
		}
	}
	return true;
}

static bool is_same_piece(const struct gsym_pieces *w, size_t left, size_t right)
{
	const struct decoded_piece *a = &w->piece[left], *b = &w->piece[right];

	return a->file == b->file && a->line == b->line && a->node == b->node &&
	       (!w->column || w->column[left] == w->column[right]);
}

static void join_equal_pieces(struct gsym_pieces *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->pieces; i++) {
		if (kept > 0 && is_same_piece(w, kept - 1, i))
			continue;
		if (w->column)
			w->column[kept] = w->column[i];
		w->piece[kept] = w->piece[i];
		w->start[kept++] = w->start[i];
	}
	w->pieces = kept;
}

static bool gsym_pieces_make(struct gsym_pieces *work)
{
	fill_starts(work);
	fill_places(work);
	if (work->column)
		fill_piece_columns(work);
	if (!assign_nodes_to_pieces(work))
		return false;
	join_equal_pieces(work);
	return true;
}

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
 * Return the offset at which a row takes effect. A row before the function takes effect at the
 * function's start. A row whose address is lower than the previous row's takes effect at `before`,
 * the previous row's offset.
 */
static uint32_t row_start(const struct gsym_pieces *w, const struct gsym_row *row, uint32_t before)
{
	uint64_t start = w->function->start;
	uint64_t offset = row->va < start ? 0 : row->va - start;

	offset = offset < UINT32_MAX ? offset : UINT32_MAX;
	return offset > before ? (uint32_t)offset : before;
}

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

	w->nodes = 1;
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
 * Count the column rows. Returns false if some call has no column; the function is then not
 * decoded.
 */
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
 * Convert a range to offsets. Returns false if it wraps around the address space, which occurs only
 * in crafted files. A range beyond the maximum offset becomes empty.
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

/*
 * Allocate all arrays in one block, those with the widest elements first. Returns NULL if the block
 * would exceed `limit` or allocation fails. A first pass over the record has determined the counts;
 * a second pass will fill the arrays.
 */
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
	if (columns) {
		const size_t places = leaves * DECODED_LEAF;
		uint32_t *column = (uint32_t *)(void *)((uint8_t *)d + d->columns_at);
		for (size_t i = 0; i < places; i++)
			column[i] = w->column[i < w->pieces ? i : 0];
		memcpy(column + places, w->call_column, w->nodes * sizeof(*column));
	}
	return d;
}

/*
 * Decode a function. Returns NULL if it cannot be decoded, would need more than `limit` bytes, or
 * allocation fails.
 */
static struct decoded *decode_function(const struct gsym *gsym,
                                       const struct gsym_function *function, size_t limit)
{
	struct gsym_pieces w = { .gsym = gsym, .function = function };

	if (!gsym_has_string(gsym, function->name) || function->name >= DECODED_NAME_OFFSETS ||
	    !find_blocks(&w) || !count_rows(&w) || !count_nodes(&w) || !count_column_rows(&w))
		return NULL;
	void *memory = allocate_work_memory(&w, limit);
	if (!memory)
		return NULL;
	struct decoded *decoded = NULL;
	w.node[DECODED_OUTSIDE] = (struct decoded_node){ .parent = DECODED_OUTSIDE };
	fill_rows(&w);
	if (w.column)
		fill_column_rows(&w);
	if (fill_nodes(&w) && gsym_pieces_make(&w))
		decoded = make_decoded(&w);
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

enum {
	FIRST_BITS = 6,
	ASKED_OFTEN = 4,
	/*
	 * minimum number of lookups before a function is decoded into a full cache; decoding costs
	 * as much as three lookups
	 */
	ASKED_OFTEN_FULL = 64,
	REFUSED = UINT8_MAX, /* counter value of a function that cannot be decoded */
	PART_OF_LIMIT = 4,
	/* maximum number of bytes used while decoding; enough for 100,000 inlined calls */
	DECODING_MAX = 32 << 20,
};

/*
 * Reserve half of the limit, but at most DECODING_MAX, for decoding a function: one half of the
 * reserve for temporary memory, the other for the result.
 */
void gsym_cache_init(struct gsym_cache *cache, const struct gsym *gsym, size_t limit)
{
	size_t decoding = limit / 2 < DECODING_MAX ? limit / 2 : DECODING_MAX;

	*cache = (struct gsym_cache){ .gsym = gsym,
		                      .limit = limit - decoding,
		                      .work_limit = decoding / 2 };
}

static size_t slot_count(const struct gsym_cache *cache)
{
	return cache->slots ? (size_t)1 << cache->slot_bits : 0;
}

void gsym_cache_finish(struct gsym_cache *cache)
{
	for (size_t i = 0; i < slot_count(cache); i++)
		free(cache->slots[i].decoded);
	free(cache->slots);
	free(cache->touches);
	free(cache->files);
	free(cache->guide);
	*cache = (struct gsym_cache){ .gsym = cache->gsym,
		                      .limit = cache->limit,
		                      .work_limit = cache->work_limit };
}

/*
 * Allocate zeroed memory for a table of the cache. Return NULL if the table would exceed `most`
 * bytes or the cache's limit, or if allocation fails.
 */
static void *allocate_cache_memory(struct gsym_cache *cache, size_t count, size_t size, size_t most)
{
	size_t bytes = count * size;

	if (bytes / size != count || bytes > most || bytes > cache->limit - cache->bytes)
		return NULL;
	void *memory = calloc(count, size);
	if (!memory)
		return NULL;
	cache->bytes += bytes;
	cache->peak = cache->bytes > cache->peak ? cache->bytes : cache->peak;
	return memory;
}

static uint32_t find_home_slot(const struct gsym_cache *cache, uint32_t index)
{
	return (index * UINT32_C(0x9e3779b1)) >> (32 - cache->slot_bits);
}

static uint32_t find_next_slot(const struct gsym_cache *cache, uint32_t slot)
{
	return (slot + 1) & (((uint32_t)1 << cache->slot_bits) - 1);
}

struct decoded *gsym_cache_get(const struct gsym_cache *cache, uint32_t index)
{
	if (!cache->slots)
		return NULL;
	uint32_t slot = find_home_slot(cache, index);
	while (cache->slots[slot].decoded && cache->slots[slot].index != index)
		slot = find_next_slot(cache, slot);
	return cache->slots[slot].decoded;
}

static void insert_decoded(struct gsym_cache *cache, struct decoded *decoded)
{
	uint32_t slot = find_home_slot(cache, decoded->index);

	while (cache->slots[slot].decoded)
		slot = find_next_slot(cache, slot);
	cache->slots[slot] = (struct gsym_cache_slot){ decoded, decoded->index };
	cache->count++;
}

/*
 * Evict the function in `slot`, and move up the entries after it that probing would no longer find.
 */
static void evict_decoded(struct gsym_cache *cache, uint32_t slot)
{
	uint32_t mask = ((uint32_t)1 << cache->slot_bits) - 1;

	cache->bytes -= cache->slots[slot].decoded->bytes;
	free(cache->slots[slot].decoded);
	cache->count--;
	for (uint32_t next = find_next_slot(cache, slot); cache->slots[next].decoded;
	     next = find_next_slot(cache, next)) {
		uint32_t away = (next - find_home_slot(cache, cache->slots[next].index)) & mask;
		if (away >= ((next - slot) & mask)) {
			cache->slots[slot] = cache->slots[next];
			slot = next;
		}
	}
	cache->slots[slot].decoded = NULL;
}

/*
 * Evict functions that have not been used recently until `bytes` more fit. Returns false if that is
 * impossible.
 */
static bool evict_until_fits(struct gsym_cache *cache, size_t bytes)
{
	cache->is_full |= bytes > cache->limit - cache->bytes;
	while (cache->count > 0 && bytes > cache->limit - cache->bytes) {
		struct decoded *d = cache->slots[cache->hand].decoded;
		if (d && !d->was_used) {
			/* restart the counter, so that the function is not decoded again at once */
			if (cache->touches)
				cache->touches[d->index % cache->touch_count] = 0;
			evict_decoded(cache, cache->hand);
			continue;
		}
		if (d)
			d->was_used = false;
		cache->hand = find_next_slot(cache, cache->hand);
	}
	return bytes <= cache->limit - cache->bytes;
}

static bool ensure_free_slot(struct gsym_cache *cache)
{
	struct gsym_cache old = *cache;
	size_t slots = slot_count(cache);

	if (slots && cache->count < slots / 2)
		return true;
	uint32_t bits = slots ? cache->slot_bits + 1 : FIRST_BITS;
	size_t bytes = sizeof(*old.slots) << bits;
	if (bits >= 32 || !evict_until_fits(cache, bytes))
		return slots && cache->count < slots - 1;
	struct gsym_cache_slot *larger =
		allocate_cache_memory(cache, (size_t)1 << bits, sizeof(*larger), bytes);
	if (!larger)
		return slots && cache->count < slots - 1;
	old = *cache;
	cache->slots = larger;
	cache->slot_bits = bits;
	cache->count = cache->hand = 0;
	for (size_t i = 0; i < slots; i++)
		if (old.slots[i].decoded)
			insert_decoded(cache, old.slots[i].decoded);
	cache->bytes -= slots * sizeof(*old.slots);
	free(old.slots);
	return true;
}

/*
 * Return the function's lookup counter, which may be REFUSED, or NULL if the counters could not be
 * allocated.
 */
static uint8_t *find_touch_counter(struct gsym_cache *cache, uint32_t index)
{
	size_t most = cache->limit / PART_OF_LIMIT, functions = cache->gsym->functions;

	if (!cache->touches) {
		cache->touch_count = functions < most ? functions : most;
		if (cache->touch_count == 0)
			return NULL;
		cache->touches = allocate_cache_memory(cache, cache->touch_count, 1, most);
	}
	return cache->touches ? &cache->touches[index % cache->touch_count] : NULL;
}

/*
 * Build an index of the address table. The upper bits of an address select one of about as many
 * parts of the table as there are functions, so that a search has very few candidates.
 */
static void make_guide(struct gsym_cache *cache)
{
	const struct gsym *gsym = cache->gsym;
	uint64_t last = gsym_offset(gsym, gsym->functions - 1);
	uint32_t shift = 0, part = 0;

	while (last >> shift > gsym->functions)
		shift++;
	cache->guide_parts = (uint32_t)(last >> shift) + 1;
	cache->guide_shift = shift;
	cache->guide = allocate_cache_memory(cache, (size_t)cache->guide_parts + 1,
	                                     sizeof(*cache->guide), cache->limit / PART_OF_LIMIT);
	cache->guide_refused = !cache->guide;
	for (uint32_t i = 0; cache->guide && i < gsym->functions; i++) {
		uint64_t offset = gsym_offset(gsym, i);
		if (offset > last || (i > 0 && offset < gsym_offset(gsym, i - 1))) {
			/* do without the index, because the address table is not ascending */
			cache->bytes -= ((size_t)cache->guide_parts + 1) * sizeof(*cache->guide);
			free(cache->guide);
			cache->guide = NULL;
			cache->guide_refused = true;
			return;
		}
		while (part <= offset >> shift)
			cache->guide[part++] = i;
	}
	if (cache->guide)
		cache->guide[part] = gsym->functions;
}

uint32_t gsym_cache_search(const struct gsym_cache *cache, uint64_t va)
{
	uint64_t key = va - cache->gsym->base;

	if (!cache->guide || va < cache->gsym->base ||
	    cache->guide_parts <= key >> cache->guide_shift)
		return gsym_search(cache->gsym, va);
	const uint32_t *part = &cache->guide[key >> cache->guide_shift];
	/* the last function that begins before this part of the table may extend into it */
	uint32_t first = part[0] ? part[0] - 1 : 0;
	if (gsym_offset(cache->gsym, first) > key)
		return cache->gsym->functions;
	return gsym_search_among(cache->gsym, first, part[1] - first, va);
}

static struct decoded *store_decoded(struct gsym_cache *cache, struct decoded *decoded)
{
	if (!ensure_free_slot(cache)) {
		free(decoded);
		return NULL;
	}
	if (!cache->guide && !cache->guide_refused)
		make_guide(cache);
	if (!evict_until_fits(cache, decoded->bytes)) {
		free(decoded);
		return NULL;
	}
	cache->bytes += decoded->bytes;
	cache->peak = cache->bytes > cache->peak ? cache->bytes : cache->peak;
	insert_decoded(cache, decoded);
	return decoded;
}

struct decoded *gsym_cache_get_or_decode(struct gsym_cache *cache,
                                         const struct gsym_function *function, bool eager)
{
	uint8_t *touches = find_touch_counter(cache, function->index);
	unsigned often = cache->is_full ? ASKED_OFTEN_FULL : ASKED_OFTEN;

	INVARIANT(!function->is_merged);
	if (!touches || *touches == REFUSED || (++*touches < often && !eager))
		return NULL;
	*touches = 0;
	cache->decodings++;
	struct decoded *decoded = decode_function(cache->gsym, function, cache->work_limit);
	if (!decoded)
		*touches = REFUSED;
	return decoded ? store_decoded(cache, decoded) : NULL;
}

const struct gsym_file *gsym_cache_file(struct gsym_cache *cache, uint32_t index)
{
	struct gsym_cache_file *entry = &cache->only_file;

	if (!cache->files && !cache->files_refused) {
		cache->files =
			allocate_cache_memory(cache, cache->gsym->files, sizeof(*cache->files),
		                              cache->limit / PART_OF_LIMIT);
		cache->files_refused = !cache->files;
	}
	if (cache->files)
		entry = &cache->files[index];
	if (!cache->files || !entry->known)
		entry->known = gsym_file(cache->gsym, index, &entry->file);
	INVARIANT(entry->known);
	return &entry->file;
}
