/* SPDX-License-Identifier: MIT */
/*
 * Cuts ranges in any order into segments, however they overlap. From the lowest address to the
 * highest, with what holds the present one at each depth: a stack, because the one that began last
 * counts, and of two that began together the shorter. A heap holds where the next one ends.
 */
#include "segments.h"

#include "base/bisect.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

struct sweep_range {
	uint64_t start, last;
	uint64_t offset; /* of its frame */
	uint32_t file, depth, node;
	uint32_t below;           /* the one of its depth that it is on; SYMBFILE_NONE: none */
	uint32_t lines;           /* its place in `lines`; SYMBFILE_NONE: not read yet */
	uint32_t around, chained; /* with `around` for a parent, it is this node */
};

/* A depth at which something holds the present address. */
struct level {
	uint32_t depth, top; /* the item that counts */
	uint32_t node;       /* its node in the present chain */
};

struct sweep {
	struct index_build *b;
	struct sweep_range *item;
	size_t count, room;
	uint32_t *heap; /* items by their last address */
	size_t heaped, heap_room;
	struct own_lines *lines;
	size_t line_count, line_room;
	struct level level[SYMBFILE_LEVELS];
	unsigned levels;
	unsigned sound; /* levels whose node is that of the present chain */
};

static int compare_items(const void *left, const void *right)
{
	const struct sweep_range *a = left, *b = right;

	return ORDER_BY(a->start, b->start,
	                ORDER_BY(b->last, a->last, ORDER_BY(a->node, b->node, 0)));
}

/* All ranges of these trees; their nodes are in the order of the file. */
static void load_tree_items(struct sweep *s, const struct tree *trees, size_t count)
{
	struct symbfile_record record;

	for (size_t i = 0; i < count; i++) {
		struct tree_reader reader = tree_reader(s->b, &trees[i]);
		for (uint32_t node = trees[i].node; tree_reader_next(&reader, &record); node++) {
			if (!array_grow(&s->item, &s->room, s->count + 1, sizeof(*s->item))) {
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

/* The level of a depth, or where it belongs. */
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

/* Something of this depth has ended: take away all on top that has. */
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

/* The node of an item in a frame `around` it: its own where that serves, else a copy. */
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

/* The innermost node of the present chain. */
static uint32_t update_innermost_node(struct sweep *s)
{
	for (unsigned i = s->sound; i < s->levels; i++) {
		uint32_t around = i ? s->level[i - 1].node : SYMBFILE_NONE;
		s->level[i].node = chain_item_node(s, &s->item[s->level[i].top], around);
	}
	s->sound = s->levels;
	return s->level[s->levels - 1].node;
}

/* The lines of an item; its record is read when it first counts. */
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
	    !array_grow(&s->lines, &s->line_room, s->line_count + 1, sizeof(*s->lines))) {
		s->b->stop = BUILD_NO_MEMORY;
		return NULL;
	}
	item->lines = (uint32_t)s->line_count;
	own_lines_begin(&s->lines[s->line_count], &record, item->node);
	return &s->lines[s->line_count++];
}

/* The segments from `at` up to where something begins or ends. */
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

/* What the last sweep left, with room for this one; NULL when memory is short. */
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

void symbfile_sweep(struct index_build *b, const struct tree *trees, size_t count)
{
	struct sweep *s = begin_sweep(b);

	if (!s)
		return;
	load_tree_items(s, trees, count);
	if (!array_grow(&s->heap, &s->heap_room, s->count, sizeof(*s->heap)))
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
