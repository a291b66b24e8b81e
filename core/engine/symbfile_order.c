/* SPDX-License-Identifier: MIT */
/*
 * What was read, in order: trees by address, of which those that overlap, or were not tidy, are
 * read once more and swept (symbfile_sweep.c); return pads by address, the first of each.
 */
#include "symbfile_segments.h"

#include <stdlib.h>
#include <string.h>

static int compare_trees(const void *left, const void *right)
{
	const struct tree *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Are all trees tidy, in order and apart?  Then the segments are those of the index already. */
static bool in_order(const struct build *b)
{
	for (size_t i = 0; i < b->tree_count; i++)
		if ((b->trees[i].file & TREE_UNTIDY) ||
		    (i > 0 && b->trees[i].low <= b->trees[i - 1].last))
			return false;
	return true;
}

static void copy_tree(struct build *b, const struct tree *tree, struct segments *to)
{
	const struct segments *from = &b->out;

	for (uint32_t i = tree->segment; i < tree->segment + tree->segments; i++)
		segments_put(b, to, segment_va(from, i), from->node[i], from->line[i]);
}

/*
 * The trees of a run one by one, into `list`; they are read again for it.  False when they are not
 * those of the first time: somebody writes to the file.
 */
static bool expand(struct build *b, const struct tree *run, struct tree *list)
{
	struct tree_reader reader = tree_reader(b, run);
	struct symbfile_record record;
	struct tree *tree = NULL;
	uint32_t node = run->node, segment = run->segment, end = run->segment + run->segments;

	for (; tree_reader_next(&reader, &record); node++) {
		if (tree && record.range.depth > 0) {
			tree->nodes++;
			continue;
		}
		if (tree && tree + 1 == list + run->count)
			return false;
		tree = tree ? tree + 1 : list;
		*tree = (struct tree){ .low = record.range.start,
			               .last = range_last(&record.range),
			               .first = record.range.start,
			               .offset = record.offset,
			               .file = run->file,
			               .node = node,
			               .nodes = 1,
			               .count = 1 };
		while (segment < end && segment_va(&b->out, segment) < tree->low)
			segment++;
		tree->segment = segment;
		while (segment < end && segment_va(&b->out, segment) <= tree->last)
			segment++;
		tree->segments = segment - tree->segment;
	}
	return tree && tree + 1 == list + run->count;
}

static void put_clusters(struct build *b, const struct tree *trees, size_t count,
                         struct segments *to);

/* Trees that overlap: runs among them are taken apart, so that only what overlaps is swept. */
static void put_overlap(struct build *b, const struct tree *trees, size_t count,
                        struct segments *to)
{
	size_t all = 0, at = 0;
	bool sound = true;

	for (size_t i = 0; i < count; i++)
		all += trees[i].count;
	if (all == count) {
		symbfile_sweep(b, trees, count, to);
		return;
	}
	struct tree *list = malloc(all * sizeof(*list));
	if (!list) {
		build_out_of_memory(b);
		return;
	}
	for (size_t i = 0; i < count && sound; at += trees[i++].count) {
		list[at] = trees[i];
		sound = trees[i].count == 1 || expand(b, &trees[i], &list[at]);
	}
	qsort(list, all, sizeof(*list), compare_trees);
	if (sound)
		put_clusters(b, list, all, to);
	else
		b->stop = BUILD_TOO_MUCH;
	free(list);
}

/* Of trees in order: those that stand alone, those that overlap, and the gaps where they end. */
static void put_clusters(struct build *b, const struct tree *trees, size_t count,
                         struct segments *to)
{
	for (size_t i = 0, next; i < count && b->stop == BUILD_GOES_ON; i = next) {
		uint64_t last = trees[i].last;
		for (next = i + 1; next < count && trees[next].low <= last; next++)
			if (trees[next].last > last)
				last = trees[next].last;
		if (next == i + 1 && !(trees[i].file & TREE_UNTIDY))
			copy_tree(b, &trees[i], to);
		else
			put_overlap(b, &trees[i], next - i, to);
		if (last != UINT64_MAX)
			segments_put(b, to, last + 1, SYMBFILE_NONE, 0);
	}
}

static void sort_trees(struct build *b)
{
	struct segments to = { .wide = b->out.wide, .origin = b->out.origin };

	qsort(b->trees, b->tree_count, sizeof(*b->trees), compare_trees);
	b->nodes.limit = b->nodes.count * SYMBFILE_GROWTH + 4096;
	put_clusters(b, b->trees, b->tree_count, &to);
	free(b->out.start);
	free(b->out.node);
	free(b->out.line);
	b->out = to;
}

void build_put_in_order(struct build *b)
{
	const struct tree *final = b->tree_count ? &b->trees[b->tree_count - 1] : NULL;

	if (!in_order(b)) {
		sort_trees(b);
	} else if (final && final->last != UINT64_MAX) {
		b->out.floor = b->out.count;
		segments_put(b, &b->out, final->last + 1, SYMBFILE_NONE, 0);
	}
	free(b->trees);
	b->trees = NULL;
}

struct pad_order {
	uint64_t address;
	uint32_t at;
};

static int compare_pads(const void *left, const void *right)
{
	const struct pad_order *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Pads by their addresses, the first of each; their frames in the same order. */
static bool move_pads(struct build *b, const struct pad_order *order)
{
	struct symbfile_pad_node *frames = malloc((b->frame_count + 1) * sizeof(*frames));
	uint32_t *first = malloc((b->pads + 1) * sizeof(*first));
	size_t count = 0, used = 0;

	if (!frames || !first) {
		free(frames);
		free(first);
		return false;
	}
	for (size_t i = 0; i < b->pads; i++) {
		uint32_t from = b->pad_first[order[i].at], end = b->pad_first[order[i].at + 1];
		if (i > 0 && order[i].address == order[i - 1].address)
			continue;
		b->pad[count] = order[i].address;
		first[count++] = (uint32_t)used;
		if (end > from)
			memcpy(frames + used, b->frames + from, (end - from) * sizeof(*frames));
		used += end - from;
	}
	first[count] = (uint32_t)used;
	free(b->frames);
	free(b->pad_first);
	b->frames = frames;
	b->pad_first = first;
	b->pads = count;
	b->frame_count = used;
	return true;
}

void build_sort_pads(struct build *b)
{
	bool sorted = true;

	for (size_t i = 1; i < b->pads; i++)
		sorted &= b->pad[i - 1] < b->pad[i];
	if (sorted)
		return;
	struct pad_order *order = malloc(b->pads * sizeof(*order));
	if (!order) {
		build_out_of_memory(b);
		return;
	}
	for (size_t i = 0; i < b->pads; i++)
		order[i] = (struct pad_order){ b->pad[i], (uint32_t)i };
	qsort(order, b->pads, sizeof(*order), compare_pads);
	if (!move_pads(b, order))
		build_out_of_memory(b);
	free(order);
}
