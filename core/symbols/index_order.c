/* SPDX-License-Identifier: MIT */
/* Sorts the segments by address, and cuts trees again where they overlap. */
#include "index_segments.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Return a tree's number of segments, without the gap after it. */
static uint32_t own_segments(const struct index_build *b, const struct tree *t)
{
	return t->segments - (b->out.node[t->segment + t->segments - 1] == SYMBFILE_NONE);
}

static uint64_t node_va(const struct index_build *b, uint32_t node)
{
	return b->out.wide ? ((uint64_t *)b->nodes.start)[node]
	                   : ((uint32_t *)b->nodes.start)[node];
}

/* Return a node index relative to the tree's first node, so that trees can be compared. */
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

/*
 * Drop each tree that equals its predecessor, and return the number of remaining trees. Often,
 * several units describe the same function, for example an inline function. Nodes do not record
 * their depths, so trees with skipped depths, which no compiler produces, are not compared.
 */
static size_t build_drop_duplicates(const struct index_build *b, struct tree *trees, size_t count)
{
	size_t kept = count > 0;

	for (size_t i = 1; i < count; i++)
		if (!is_same_tree(b, &trees[kept - 1], &trees[i]))
			trees[kept++] = trees[i];
	return kept;
}

/*
 * Range in a sweep, which cuts arbitrarily overlapping ranges into segments. The sweep visits
 * addresses in ascending order. For each depth, it keeps a stack of the ranges that contain the
 * current address, with the range that began last on top; among ranges that began together, the
 * shortest is on top. A heap yields the next end.
 */
struct sweep_range {
	uint64_t start, last;
	uint64_t offset;
	uint32_t file, depth, node;
	uint32_t below; /* next lower range on the stack for this depth, or SYMBFILE_NONE */
	uint32_t lines; /* index into `lines`; SYMBFILE_NONE before the record is read */
	/* `chained` is the node for this range with the parent `around` */
	uint32_t around, chained;
};

/* Depth at which at least one range contains the current address. */
struct level {
	uint32_t depth, top;
	uint32_t node;
};

struct sweep {
	struct index_build *b;
	struct sweep_range *item;
	size_t count, capacity;
	uint32_t *heap; /* heap of indices in `item`; the range that ends first is on top */
	size_t heaped, heap_capacity;
	struct own_lines *lines;
	size_t line_count, line_capacity;
	struct level level[SYMBFILE_LEVELS];
	unsigned levels;
	unsigned sound; /* number of levels whose `node` is valid */
};

static int compare_items(const void *left, const void *right)
{
	const struct sweep_range *a = left, *b = right;

	return ORDER_BY(a->start, b->start,
	                ORDER_BY(b->last, a->last, ORDER_BY(a->node, b->node, 0)));
}

/*
 * Add all ranges of the trees and sort them by address. A tree's nodes are numbered in file order.
 */
static void load_tree_items(struct sweep *s, const struct tree *trees, size_t count)
{
	struct symbfile_record record;

	for (size_t i = 0; i < count; i++) {
		struct tree_reader reader = tree_reader(s->b, &trees[i]);
		for (uint32_t node = trees[i].node; tree_reader_next(&reader, &record); node++) {
			if (!array_grow(&s->item, &s->capacity, s->count + 1, sizeof(*s->item))) {
				s->b->stop = BUILD_NO_MEMORY;
				return;
			}
			s->item[s->count++] = (struct sweep_range){
				.start = record.range.start,
				.last = range_last(&record.range),
				.offset = record.offset,
				.file = trees[i].file,
				.depth = record.range.depth,
				.node = node,
				.below = SYMBFILE_NONE,
				.lines = SYMBFILE_NONE,
				.around = SYMBFILE_UNSET,
			};
		}
	}
	qsort(s->item, s->count, sizeof(*s->item), compare_items);
}

static uint64_t heap_key(const struct sweep *s, size_t at)
{
	return s->item[s->heap[at]].last;
}

static void heap_swap(struct sweep *s, size_t a, size_t b)
{
	uint32_t held = s->heap[a];

	s->heap[a] = s->heap[b];
	s->heap[b] = held;
}

static void heap_push(struct sweep *s, uint32_t item)
{
	size_t at = s->heaped++;

	s->heap[at] = item;
	for (; at > 0 && heap_key(s, (at - 1) / 2) > heap_key(s, at); at = (at - 1) / 2)
		heap_swap(s, at, (at - 1) / 2);
}

static void heap_pop(struct sweep *s)
{
	size_t at = 0;

	s->heap[0] = s->heap[--s->heaped];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child + 1 < s->heaped && heap_key(s, child + 1) < heap_key(s, child))
			child++;
		if (child >= s->heaped || heap_key(s, at) <= heap_key(s, child))
			return;
		heap_swap(s, at, child);
		at = child;
	}
}

static unsigned find_level(const struct sweep *s, uint32_t depth)
{
	struct bisection search = bisect_begin(s->levels);

	while (search.low < search.high)
		bisect_narrow(&search, s->level[search.middle].depth < depth);
	return (unsigned)search.low;
}

static void invalidate_level(struct sweep *s, unsigned level)
{
	if (s->sound > level)
		s->sound = level;
}

static void open_sweep_item(struct sweep *s, uint32_t item)
{
	unsigned at = find_level(s, s->item[item].depth);

	if (at == s->levels || s->level[at].depth != s->item[item].depth) {
		if (s->levels == SYMBFILE_LEVELS) {
			s->b->stop = BUILD_TOO_MUCH;
			return;
		}
		memmove(&s->level[at + 1], &s->level[at], (s->levels - at) * sizeof(*s->level));
		s->level[at] = (struct level){ s->item[item].depth, SYMBFILE_NONE, 0 };
		s->levels++;
	}
	s->item[item].below = s->level[at].top;
	s->level[at].top = item;
	invalidate_level(s, at);
	heap_push(s, item);
}

/*
 * Pop the ranges at `depth` that ended before `at`, and remove the level if its stack becomes
 * empty.
 */
static void close_ended_items(struct sweep *s, uint32_t depth, uint64_t at)
{
	unsigned level = find_level(s, depth);

	if (level == s->levels || s->level[level].depth != depth)
		return;
	uint32_t *top = &s->level[level].top, before = *top;
	while (*top != SYMBFILE_NONE && s->item[*top].last < at)
		*top = s->item[*top].below;
	if (*top != before)
		invalidate_level(s, level);
	if (*top != SYMBFILE_NONE)
		return;
	s->levels--;
	memmove(&s->level[level], &s->level[level + 1], (s->levels - level) * sizeof(*s->level));
}

/*
 * Return a node for `item` with the parent `around`: the item's own node if that has no other
 * parent yet, otherwise a copy. Parents must have lower indices than their children.
 */
static uint32_t chain_item_node(struct sweep *s, struct sweep_range *item, uint32_t around)
{
	struct nodes *n = &s->b->nodes;
	struct symbfile_node *own = &n->node[item->node];

	if (item->around == around)
		return item->chained;
	item->around = around;
	if (own->parent == SYMBFILE_UNSET && (around == SYMBFILE_NONE || around < item->node))
		own->parent = around;
	if (own->parent == around) {
		item->chained = item->node;
		return item->chained;
	}
	struct symbfile_node copy = *own;
	copy.parent = around;
	item->chained = nodes_put(s->b, &copy, item->start);
	return item->chained;
}

static uint32_t update_innermost_node(struct sweep *s)
{
	for (unsigned i = s->sound; i < s->levels; i++) {
		uint32_t around = i ? s->level[i - 1].node : SYMBFILE_NONE;
		s->level[i].node = chain_item_node(s, &s->item[s->level[i].top], around);
	}
	s->sound = s->levels;
	return s->level[s->levels - 1].node;
}

/* Return the item's line iterator, or NULL after an error. The first call reads the record. */
static struct own_lines *lines_of(struct sweep *s, struct sweep_range *item)
{
	struct symbfile_record record;

	if (item->lines != SYMBFILE_NONE)
		return &s->lines[item->lines];
	struct tree tree = {
		.first = item->start, .offset = item->offset, .file = item->file, .nodes = 1
	};
	struct tree_reader reader = tree_reader(s->b, &tree);
	if (!tree_reader_next(&reader, &record) ||
	    !array_grow(&s->lines, &s->line_capacity, s->line_count + 1, sizeof(*s->lines))) {
		s->b->stop = BUILD_NO_MEMORY;
		return NULL;
	}
	item->lines = (uint32_t)s->line_count;
	own_lines_begin(&s->lines[s->line_count], &record, item->node);
	return &s->lines[s->line_count++];
}

static void append_swept_segments(struct sweep *s, uint64_t at, uint64_t last)
{
	if (s->levels == 0) {
		segments_put(s->b, &s->b->out, at, SYMBFILE_NONE, 0);
		return;
	}
	uint32_t node = update_innermost_node(s);
	struct own_lines *own = lines_of(s, &s->item[s->level[s->levels - 1].top]);
	if (!own)
		return;
	own->node = node;
	own_lines_put(s->b, &s->b->out, own, at, last);
}

static void sweep_items(struct sweep *s)
{
	uint64_t at = s->count ? s->item[0].start : 0;

	for (uint32_t next = 0; s->b->stop == BUILD_CONTINUE;) {
		uint64_t last = UINT64_MAX;
		for (; next < s->count && s->item[next].start == at; next++)
			open_sweep_item(s, next);
		if (s->heaped == 0 && next == s->count)
			return;
		if (next < s->count)
			last = s->item[next].start - 1;
		if (s->heaped > 0 && heap_key(s, 0) < last)
			last = heap_key(s, 0);
		append_swept_segments(s, at, last);
		if (last == UINT64_MAX)
			return;
		at = last + 1;
		while (s->heaped > 0 && heap_key(s, 0) < at) {
			uint32_t depth = s->item[s->heap[0]].depth;
			heap_pop(s);
			close_ended_items(s, depth, at);
		}
	}
}

/* Return an empty sweep with the buffers of the previous one, or NULL if allocation fails. */
static struct sweep *begin_sweep(struct index_build *b)
{
	struct sweep *s = b->sweep;

	if (!s)
		s = b->sweep = calloc(1, sizeof(*s));
	if (!s) {
		b->stop = BUILD_NO_MEMORY;
		return NULL;
	}
	s->b = b;
	s->count = s->heaped = s->line_count = 0;
	s->levels = s->sound = 0;
	return s;
}

static void symbfile_sweep(struct index_build *b, const struct tree *trees, size_t count)
{
	struct sweep *s = begin_sweep(b);

	if (!s)
		return;
	load_tree_items(s, trees, count);
	if (!array_grow(&s->heap, &s->heap_capacity, s->count, sizeof(*s->heap)))
		b->stop = BUILD_NO_MEMORY;
	if (b->stop == BUILD_CONTINUE)
		sweep_items(s);
}

void symbfile_sweep_free(struct sweep *s)
{
	if (!s)
		return;
	free(s->lines);
	free(s->heap);
	free(s->item);
	free(s);
}

/* parameters of a radix sort with 32-bit keys */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 3 };
enum { AHEAD = 16 }; /* prefetch this many elements ahead, because they are scattered in memory */

static void sort_pass(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
	size_t at[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[from[i] >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t here = at[i];
		at[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static void sort_keys(uint64_t **order, uint64_t **spare, size_t count)
{
	for (unsigned pass = 0; pass < PASSES; pass++) {
		uint64_t *sorted = *spare;
		sort_pass(*order, sorted, count, 32 + pass * DIGIT_BITS);
		*spare = *order;
		*order = sorted;
	}
}

/* Numbers of segments and nodes read from files. Sweeps append their results after these. */
struct ends {
	uint32_t segments, nodes;
};

static uint32_t segments_end(const struct index_build *b, const struct ends *ends, size_t number)
{
	return number + 1 < b->outline_count ? b->outlines[number + 1].segment : ends->segments;
}

static uint64_t low_of(const struct index_build *b, const struct ends *ends, size_t number)
{
	const struct outline *o = &b->outlines[number];

	return segment_va(&b->out, o->offset & OUTLINE_UNORDERED ? segments_end(b, ends, number) - 1
	                                                         : o->segment);
}

static struct tree tree_of(const struct index_build *b, const struct ends *ends, uint32_t number)
{
	const struct outline *o = &b->outlines[number];
	bool final = (size_t)number + 1 == b->outline_count;

	return (struct tree){ .low = low_of(b, ends, number),
		              .last = o->last,
		              .first = segment_va(&b->out, o->segment),
		              .offset = o->offset & ~(OUTLINE_UNORDERED | OUTLINE_SKIPS_DEPTHS),
		              .file = build_file_of(b, number),
		              .untidy = o->offset & OUTLINE_UNORDERED,
		              .odd = o->offset & (OUTLINE_UNORDERED | OUTLINE_SKIPS_DEPTHS),
		              .segment = o->segment,
		              .segments = segments_end(b, ends, number) - o->segment,
		              .node = o->node,
		              .nodes = (final ? ends->nodes : o[1].node) - o->node };
}

/*
 * Sort the outlines by lowest address. Returns an array whose elements contain an outline's index
 * in the lower 32 bits and its sort key in the upper 32 bits, or NULL if allocation fails.
 */
static uint64_t *sort_outlines(const struct index_build *b, const struct ends *ends)
{
	size_t count = b->outline_count;
	uint64_t *order = malloc(count * sizeof(*order)), *spare = malloc(count * sizeof(*spare));
	uint64_t origin = b->out.origin;

	for (size_t i = 0; order && i < count; i++)
		order[i] = i;
	/* sort by the lower half of the address, then, for wide addresses, by the upper half */
	for (unsigned half = 0; order && spare && half < (b->out.wide ? 2 : 1); half++) {
		for (size_t i = 0; i < count; i++) {
			uint32_t number = (uint32_t)order[i];
			uint64_t key = (low_of(b, ends, number) - origin) >> 32 * half;
			order[i] = key << 32 | number;
		}
		sort_keys(&order, &spare, count);
	}
	if (!spare) {
		free(order);
		order = NULL;
	}
	free(spare);
	return order;
}

/*
 * Pack a piece, a run of consecutive segments, into 64 bits: the index of its first segment in the
 * upper half, its length in the lower.
 */
static uint64_t pack_piece(uint32_t segment, size_t count)
{
	return (uint64_t)segment << 32 | (uint32_t)count;
}

/* Sweep the trees, none of which extends past `last`, and return the new segments as a piece. */
static uint64_t append_swept_piece(struct index_build *b, const struct tree *trees, size_t count,
                                   uint64_t last)
{
	size_t begin = b->out.count;

	b->out.floor = begin;
	symbfile_sweep(b, trees, count);
	if (last != UINT64_MAX)
		segments_put(b, &b->out, last + 1, SYMBFILE_NONE, 0);
	return pack_piece((uint32_t)begin, b->out.count - begin);
}

/*
 * Merge overlapping trees, none of which extends past `last`, into one piece. If all trees are
 * identical, the piece reuses the segments of the first tree.
 */
static uint64_t append_overlapping_trees(struct index_build *b, const struct ends *ends,
                                         const uint64_t *order, size_t count, uint64_t last)
{
	struct tree *trees = malloc(count * sizeof(*trees));

	if (!trees) {
		build_out_of_memory(b);
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		trees[i] = tree_of(b, ends, (uint32_t)order[i]);
	count = build_drop_duplicates(b, trees, count);
	uint64_t made = count == 1 && !trees->untidy ? pack_piece(trees->segment, trees->segments)
	                                             : append_swept_piece(b, trees, count, last);
	free(trees);
	return made;
}

/* Return an outline's lowest address. The sort key contains it unless addresses are wide. */
static uint64_t low_in(const struct index_build *b, const struct ends *ends, uint64_t order)
{
	return b->out.wide ? low_of(b, ends, (uint32_t)order) : b->out.origin + (order >> 32);
}

/* Replace the outline indices in `order` with pieces. There are never more pieces than outlines. */
static size_t make_pieces(struct index_build *b, const struct ends *ends, uint64_t *order)
{
	size_t pieces = 0;

	for (size_t i = 0, next; i < b->outline_count && b->stop == BUILD_CONTINUE; i = next) {
		uint32_t number = (uint32_t)order[i];
		const struct outline *o = &b->outlines[number];
		uint64_t last = o->last;
		if (i + AHEAD < b->outline_count)
			memory_soon(&b->outlines[(uint32_t)order[i + AHEAD]], 0);
		for (next = i + 1; next < b->outline_count && low_in(b, ends, order[next]) <= last;
		     next++)
			if (b->outlines[(uint32_t)order[next]].last > last)
				last = b->outlines[(uint32_t)order[next]].last;
		bool alone = next == i + 1 && !(o->offset & OUTLINE_UNORDERED);
		order[pieces++] =
			alone ? pack_piece(o->segment, segments_end(b, ends, number) - o->segment)
			      : append_overlapping_trees(b, ends, &order[i], next - i, last);
	}
	return pieces;
}

/*
 * Drop a piece's final gap if the next piece begins at the same address. Returns the number of
 * remaining segments.
 */
static size_t drop_gaps(const struct index_build *b, uint64_t *piece, size_t pieces)
{
	const uint8_t *start = b->out.start;
	size_t word = b->out.wide ? 8 : 4, total = 0, end = 0;

	for (size_t i = 0; i < pieces; i++) {
		size_t first = (size_t)(piece[i] >> 32);
		if (i + AHEAD < pieces)
			memory_soon(start + (piece[i + AHEAD] >> 32) * word, 0);
		if (i > 0 && segment_va(&b->out, end - 1) == segment_va(&b->out, first)) {
			piece[i - 1]--;
			total--;
		}
		total += (uint32_t)piece[i];
		end = first + (uint32_t)piece[i];
	}
	return total;
}

static void *gather_items(const void *array, size_t size, const uint64_t *piece, size_t pieces,
                          size_t total)
{
	const uint8_t *from = array;
	uint8_t *to = malloc(total * size), *at = to;

	for (size_t i = 0; to && i < pieces; i++) {
		size_t count = (uint32_t)piece[i];
		if (i + AHEAD < pieces)
			memory_soon(from + (piece[i + AHEAD] >> 32) * size, 0);
		memcpy(at, from + (piece[i] >> 32) * size, count * size);
		at += count * size;
	}
	return to;
}

static void gather_all(struct index_build *b, uint64_t *piece, size_t pieces)
{
	struct segments *s = &b->out;
	const size_t size[] = { s->wide ? 8 : 4, sizeof(*s->node), sizeof(*s->line) };
	void *array[] = { s->start, s->node, s->line };
	size_t total = drop_gaps(b, piece, pieces);

	for (unsigned i = 0; i < 3 && b->stop == BUILD_CONTINUE; i++) {
		void *made = gather_items(array[i], size[i], piece, pieces, total);
		if (made) {
			free(array[i]);
			array[i] = made;
		} else {
			build_out_of_memory(b);
		}
	}
	s->start = array[0];
	s->node = array[1];
	s->line = array[2];
	s->count = s->capacity = total;
}

static void order_segments(struct index_build *b)
{
	const struct ends ends = { (uint32_t)b->out.count, (uint32_t)b->nodes.count };
	uint64_t *order = sort_outlines(b, &ends);
	size_t pieces = 0;

	if (!order) {
		build_out_of_memory(b);
		return;
	}
	b->nodes.limit = b->nodes.count * SYMBFILE_GROWTH + 4096;
	pieces = make_pieces(b, &ends, order);
	free(b->outlines);
	b->outlines = NULL;
	if (b->stop == BUILD_CONTINUE)
		gather_all(b, order, pieces);
	free(order);
}

void build_put_in_order(struct index_build *b)
{
	const struct outline *final = b->outline_count ? &b->outlines[b->outline_count - 1] : NULL;

	if (final && !(final->offset & OUTLINE_UNORDERED) && final->last != UINT64_MAX) {
		b->out.floor = b->out.count;
		segments_put(b, &b->out, final->last + 1, SYMBFILE_NONE, 0);
	}
	if (b->stop == BUILD_CONTINUE && b->apart)
		order_segments(b);
	free(b->outlines);
	b->outlines = NULL;
}
