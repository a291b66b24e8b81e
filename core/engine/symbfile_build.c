/* SPDX-License-Identifier: MIT */
/*
 * The tidy case: ranges come as trees in pre-order, each child behind its elder sibling and inside
 * its parent.  Such a tree is cut into segments while it is read, with a stack of what is open;
 * only its outline is kept.  In the end the trees are put in order.  Those that overlap, and those
 * that were not tidy, are read once more and swept (symbfile_sweep.c).
 */
#include "symbfile_build.h"

#include "symbfile_segments.h"
#include "symbfile_texts.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { BUCKET_SEGMENTS = 4 }; /* segments in a bucket, about */

/* While one file is read. */
struct reading {
	struct build *b;
	uint32_t file;
	struct symbfile_texts texts;
	uint32_t *number; /* of each text of the table; SYMBFILE_NONE: not asked yet */
	size_t number_room;
	bool in_tree, tidy;
	struct tree tree;
	uint64_t at; /* all before it has its segments */
	struct own_lines open[SYMBFILE_LEVELS];
	uint32_t depth[SYMBFILE_LEVELS];
	unsigned opened;
	uint64_t root_end;   /* just behind the last range of depth 0, */
	uint64_t root_start; /* where its function began, */
	uint32_t root_name;  /* and its name */
};

static void out_of_memory(struct build *b)
{
	if (b->stop == BUILD_GOES_ON)
		b->stop = BUILD_NO_MEMORY;
}

static void load_table(struct reading *r, const struct symbfile_record *record)
{
	if (symbfile_texts_load(&r->texts, record) != CAIRN_OK ||
	    !build_room(&r->number, &r->number_room, 0, r->texts.count, sizeof(*r->number))) {
		out_of_memory(r->b);
		return;
	}
	if (r->texts.count > 0)
		memset(r->number, 0xff, r->texts.count * sizeof(*r->number));
}

static uint32_t put_text(struct reading *r, struct cairn_bytes text)
{
	uint32_t number = text_pool_put(&r->b->pool, text);

	if (number == TEXT_POOL_FULL)
		out_of_memory(r->b);
	return number;
}

static uint32_t number_at(struct reading *r, uint32_t index)
{
	if (index >= r->texts.count)
		return SYMBFILE_NONE;
	if (r->number[index] == SYMBFILE_NONE)
		r->number[index] = put_text(r, symbfile_texts_at(&r->texts, index));
	return r->number[index];
}

static uint32_t number_of(struct reading *r, const struct symbfile_text *text)
{
	switch (text->kind) {
	case SYMBFILE_ABSENT:
		return SYMBFILE_NONE;
	case SYMBFILE_REF:
		return number_at(r, text->value);
	case SYMBFILE_INLINE:
		break;
	}
	return put_text(r, symbfile_texts_of(&r->texts, text));
}

/* Closes what is open from a level on: its lines up to its end. */
static void close_from(struct reading *r, unsigned level)
{
	while (r->opened > level) {
		struct own_lines *own = &r->open[--r->opened];
		if (r->at <= own->last && r->tidy) {
			own_lines_put(r->b, &r->b->out, own, r->at, own->last);
			r->at = own->last + 1;
			/* at the very end of the address space everything around ends too */
			if (r->at == 0) {
				r->opened = 0;
				r->at = UINT64_MAX;
			}
		}
	}
}

static void end_tree(struct reading *r)
{
	struct build *b = r->b;

	if (!r->in_tree)
		return;
	close_from(r, 0);
	if (!r->tidy) {
		b->out.count = b->out.floor;
		r->tree.file |= TREE_UNTIDY;
	}
	r->tree.segments = (uint32_t)(b->out.count - r->tree.segment);
	r->tree.nodes = (uint32_t)(b->nodes.count - r->tree.node);
	r->in_tree = false;
	if (!build_room(&b->trees, &b->tree_room, b->tree_count, 1, sizeof(*b->trees)))
		out_of_memory(b);
	else
		b->trees[b->tree_count++] = r->tree;
}

/* The gap before a tree, should it be the neighbour of the one that came before it. */
static void put_gap(struct build *b, uint64_t low)
{
	const struct tree *before = b->tree_count ? &b->trees[b->tree_count - 1] : NULL;

	b->out.floor = b->out.count;
	if (before && !(before->file & TREE_UNTIDY) && before->last != UINT64_MAX &&
	    before->last + 1 < low)
		segments_put(b, &b->out, before->last + 1, SYMBFILE_NONE, 0);
	b->out.floor = b->out.count;
}

static void begin_tree(struct reading *r, const struct symbfile_record *record)
{
	const struct symbfile_range *range = &record->range;
	struct build *b = r->b;

	end_tree(r);
	put_gap(b, range->start);
	r->in_tree = r->tidy = true;
	r->at = range->start;
	r->tree = (struct tree){ .low = range->start,
		                 .last = range_last(range),
		                 .first = range->start,
		                 .offset = record->offset,
		                 .file = r->file,
		                 .segment = (uint32_t)b->out.count,
		                 .node = (uint32_t)b->nodes.count };
}

/* Where the function of a root begins: a function in pieces has one start. */
static uint64_t function_start(struct reading *r, const struct symbfile_range *range, uint32_t name)
{
	if (range->start != r->root_end || name != r->root_name || range->start == 0)
		r->root_start = range->start;
	r->root_end = range_last(range) + 1;
	r->root_name = name;
	return r->root_start;
}

static uint32_t add_node(struct reading *r, const struct symbfile_range *range, uint32_t parent)
{
	uint32_t name = number_of(r, &range->function);
	struct symbfile_node node = { .function = name,
		                      .file = number_of(r, &range->file),
		                      .call_file = SYMBFILE_NONE,
		                      .parent = parent };
	uint64_t start = range->depth == 0 ? function_start(r, range, name) : range->start;

	if (range->depth > 0) {
		node.call_file = number_of(r, &range->call_file);
		node.call_line = range->call_line;
	}
	r->b->nodes.limit = UINT32_MAX;
	return nodes_put(r->b, &node, start);
}

/* Is a range the next one of a tidy tree?  Everything that it closes is closed. */
static bool fits(struct reading *r, const struct symbfile_range *range)
{
	unsigned level = r->opened;

	while (level > 0 && r->depth[level - 1] >= range->depth)
		level--;
	close_from(r, level);
	if (r->opened == SYMBFILE_LEVELS || range->start < r->at)
		return false;
	if (r->opened == 0)
		return r->tree.node == r->b->nodes.count;
	const struct own_lines *parent = &r->open[r->opened - 1];
	return range->start <= parent->last && range_last(range) <= parent->last;
}

static void open_range(struct reading *r, const struct symbfile_record *record, uint32_t node)
{
	struct own_lines *own = &r->open[r->opened];

	if (r->opened > 0 && record->range.start > r->at)
		own_lines_put(r->b, &r->b->out, own - 1, r->at, record->range.start - 1);
	r->at = record->range.start;
	own_lines_begin(own, record, node);
	r->depth[r->opened++] = record->range.depth;
}

static void take_range(struct reading *r, const struct symbfile_record *record)
{
	const struct symbfile_range *range = &record->range;
	uint32_t parent = SYMBFILE_NONE;

	r->b->ranges++;
	if (range->length == 0)
		return;
	if (!r->in_tree || range->depth == 0)
		begin_tree(r, record);
	if (range->start < r->tree.low)
		r->tree.low = range->start;
	if (range_last(range) > r->tree.last)
		r->tree.last = range_last(range);
	if (r->tidy && !fits(r, range))
		r->tidy = false;
	if (!r->tidy)
		parent = SYMBFILE_UNSET;
	else if (r->opened > 0)
		parent = r->open[r->opened - 1].node;
	uint32_t node = add_node(r, range, parent);
	if (r->tidy && node != SYMBFILE_NONE)
		open_range(r, record, node);
}

static void take_pad(struct reading *r, const struct symbfile_record *record)
{
	struct build *b = r->b;
	struct symbfile_frames frames = symbfile_frames(record);
	struct symbfile_frame f;
	size_t count = record->pad.frames.count;

	if (b->frame_count + count > SYMBFILE_NONE) {
		b->stop = BUILD_TOO_MUCH;
		return;
	}
	if (!build_room(&b->pad, &b->pad_room, b->pads, 1, sizeof(*b->pad)) ||
	    !build_room(&b->pad_first, &b->pad_first_room, b->pads, 2, sizeof(*b->pad_first)) ||
	    !build_room(&b->frames, &b->frame_room, b->frame_count, count, sizeof(*b->frames))) {
		out_of_memory(b);
		return;
	}
	b->pad[b->pads] = record->pad.address;
	b->pad_first[b->pads++] = (uint32_t)b->frame_count;
	while (symbfile_next_frame(&frames, &f))
		b->frames[b->frame_count++] =
			(struct symbfile_pad_node){ number_at(r, f.function), number_at(r, f.file),
			                            f.line };
	b->pad_first[b->pads] = (uint32_t)b->frame_count;
}

static void take(struct reading *r, const struct symbfile_record *record)
{
	switch (record->kind) {
	case SYMBFILE_RANGE:
		take_range(r, record);
		break;
	case SYMBFILE_PAD:
		take_pad(r, record);
		break;
	case SYMBFILE_TABLE:
		load_table(r, record);
		break;
	case SYMBFILE_HEADER:
		break;
	}
}

/* The origin of 32-bit addresses: half of their space before the first one that is met. */
static void set_origin(struct build *b, const struct symbfile_record *record)
{
	const uint64_t half = (uint64_t)1 << 31;

	if (record->kind == SYMBFILE_RANGE && b->tree_count == 0 && b->nodes.count == 0)
		b->out.origin =
			b->out.wide || record->range.start < half ? 0 : record->range.start - half;
}

static struct cairn_fault read_file(struct build *b, uint32_t index, struct reading *r)
{
	struct symbfile file = symbfile_open(b->files[index]);
	struct symbfile_record record;

	*r = (struct reading){ .b = b, .file = index, .root_name = SYMBFILE_NONE };
	while (b->stop == BUILD_GOES_ON && symbfile_next(&file, &record)) {
		set_origin(b, &record);
		take(r, &record);
	}
	end_tree(r);
	symbfile_texts_finish(&r->texts);
	free(r->number);
	return symbfile_fault(&file);
}

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

	for (uint32_t i = tree->segment; i < tree->segment + tree->segments; i++) {
		uint64_t offset = from->wide ? ((const uint64_t *)from->start)[i]
		                             : ((const uint32_t *)from->start)[i];
		segments_put(b, to, from->origin + offset, from->node[i], from->line[i]);
	}
}

/* One tree that stands alone, or several that overlap; and a gap where they end. */
static void put_cluster(struct build *b, const struct tree *trees, size_t count, uint64_t last,
                        struct segments *to)
{
	if (count == 1 && !(trees->file & TREE_UNTIDY))
		copy_tree(b, trees, to);
	else
		symbfile_sweep(b, trees, count, to);
	if (last != UINT64_MAX)
		segments_put(b, to, last + 1, SYMBFILE_NONE, 0);
}

static void put_in_order(struct build *b)
{
	struct segments to = { .wide = b->out.wide, .origin = b->out.origin };

	qsort(b->trees, b->tree_count, sizeof(*b->trees), compare_trees);
	b->nodes.limit = b->nodes.count * SYMBFILE_GROWTH + 4096;
	for (size_t i = 0, next; i < b->tree_count && b->stop == BUILD_GOES_ON; i = next) {
		uint64_t last = b->trees[i].last;
		for (next = i + 1; next < b->tree_count && b->trees[next].low <= last; next++)
			if (b->trees[next].last > last)
				last = b->trees[next].last;
		put_cluster(b, &b->trees[i], next - i, last, &to);
	}
	free(b->out.start);
	free(b->out.node);
	free(b->out.line);
	b->out = to;
}

static void finish_segments(struct build *b)
{
	if (in_order(b)) {
		b->out.floor = b->out.count;
		if (b->tree_count && b->trees[b->tree_count - 1].last != UINT64_MAX)
			segments_put(b, &b->out, b->trees[b->tree_count - 1].last + 1,
			             SYMBFILE_NONE, 0);
	} else {
		put_in_order(b);
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

static void sort_pads(struct build *b)
{
	bool sorted = true;

	for (size_t i = 1; i < b->pads; i++)
		sorted &= b->pad[i - 1] < b->pad[i];
	if (sorted)
		return;
	struct pad_order *order = malloc(b->pads * sizeof(*order));
	if (!order) {
		out_of_memory(b);
		return;
	}
	for (size_t i = 0; i < b->pads; i++)
		order[i] = (struct pad_order){ b->pad[i], (uint32_t)i };
	qsort(order, b->pads, sizeof(*order), compare_pads);
	if (!move_pads(b, order))
		out_of_memory(b);
	free(order);
}

/* Counts all from the first segment on, so that the base is one, and 32 bits are enough again. */
static void rebase(struct build *b)
{
	struct segments *s = &b->out;
	uint64_t first = 0;

	if (s->count == 0)
		return;
	first = s->wide ? ((uint64_t *)s->start)[0] : ((uint32_t *)s->start)[0];
	for (size_t i = 0; i < s->count; i++)
		if (s->wide)
			((uint64_t *)s->start)[i] -= first;
		else
			((uint32_t *)s->start)[i] -= (uint32_t)first;
	for (size_t i = 0; i < b->nodes.count; i++)
		if (s->wide)
			((uint64_t *)b->nodes.start)[i] -= first;
		else
			((uint32_t *)b->nodes.start)[i] -= (uint32_t)first;
	s->origin += first;
}

/* A bucket for about each BUCKET_SEGMENTS segments: the last one that begins at or before it. */
static uint32_t *make_buckets(struct symbfile_index *x)
{
	uint64_t span = symbfile_index_at(x, x->start, x->segments - 1) - x->base;
	size_t wanted = x->segments / BUCKET_SEGMENTS + 1, segment = 0;

	while (x->shift < 63 && (span >> x->shift) >= wanted)
		x->shift++;
	x->buckets = (size_t)(span >> x->shift) + 1;
	uint32_t *bucket = malloc(x->buckets * sizeof(*bucket));
	for (size_t i = 0; bucket && i < x->buckets; i++) {
		uint64_t begin = (uint64_t)i << x->shift;
		while (segment + 1 < x->segments &&
		       symbfile_index_at(x, x->start, segment + 1) - x->base <= begin)
			segment++;
		bucket[i] = (uint32_t)segment;
	}
	return bucket;
}

static void describe(struct build *b, struct symbfile_built *built)
{
	static const uint32_t no_text = 0;
	struct symbfile_index *x = &built->index;

	*x = (struct symbfile_index){
		.wide = b->out.wide,
		.base = b->out.origin,
		.start = b->out.start,
		.node = b->out.node,
		.line = b->out.line,
		.segments = b->out.count,
		.nodes = b->nodes.node,
		.node_start = b->nodes.start,
		.node_count = b->nodes.count,
		.text_at = b->pool.at ? b->pool.at : &no_text,
		.texts = b->pool.count,
		.blob = b->pool.blob,
		.blob_size = b->pool.blob_size,
		.pad = b->pad,
		.pad_first = b->pad_first ? b->pad_first : &no_text,
		.pads = b->pads,
		.frames = b->frames,
		.frame_count = b->frame_count,
	};
	built->ranges = b->ranges;
	built->pads = b->pads;
	void *memory[] = { b->out.start, b->out.node, b->out.line, b->nodes.node, b->nodes.start,
		           b->pool.blob, b->pool.at,  b->pad,      b->pad_first,  b->frames };
	memcpy(built->memory, memory, sizeof(memory));
	free(b->pool.slot);
}

static void abandon(struct build *b)
{
	free(b->out.start);
	free(b->out.node);
	free(b->out.line);
	free(b->nodes.node);
	free(b->nodes.start);
	free(b->trees);
	free(b->pad);
	free(b->pad_first);
	free(b->frames);
	text_pool_finish(&b->pool);
}

static void read_all(struct build *b, struct symbfile_built *built)
{
	struct reading *r = malloc(sizeof(*r));

	if (!r) {
		out_of_memory(b);
		return;
	}
	for (size_t i = 0; i < b->file_count && b->stop == BUILD_GOES_ON; i++)
		built->fault[i] = read_file(b, (uint32_t)i, r);
	free(r);
	if (b->stop == BUILD_GOES_ON)
		finish_segments(b);
	if (b->stop == BUILD_GOES_ON)
		sort_pads(b);
}

static enum cairn_status status_of(enum build_stop stop)
{
	return stop == BUILD_NO_MEMORY ? CAIRN_NO_MEMORY : CAIRN_UNSUPPORTED;
}

/* One try, with addresses of 32 or 64 bits. */
static enum build_stop try_build(const struct cairn_bytes *files, size_t count, bool wide,
                                 struct symbfile_built *built)
{
	struct build b = { .files = files, .file_count = count, .out = { .wide = wide } };

	*built = (struct symbfile_built){ .ranges = 0 };
	read_all(&b, built);
	if (b.stop != BUILD_GOES_ON) {
		abandon(&b);
		return b.stop;
	}
	rebase(&b);
	describe(&b, built);
	if (b.out.count == 0)
		return BUILD_GOES_ON;
	uint32_t *bucket = make_buckets(&built->index);
	built->index.bucket = bucket;
	built->memory[COUNT_OF(built->memory) - 1] = bucket;
	return bucket ? BUILD_GOES_ON : BUILD_NO_MEMORY;
}

enum cairn_status symbfile_build(const struct cairn_bytes *files, size_t count,
                                 struct symbfile_built *built)
{
	*built = (struct symbfile_built){ .ranges = 0 };
	if (count > SYMBFILE_FILES_MAX)
		return CAIRN_UNSUPPORTED;
	enum build_stop stop = try_build(files, count, false, built);
	if (stop == BUILD_TOO_WIDE)
		stop = try_build(files, count, true, built);
	if (stop == BUILD_GOES_ON)
		return CAIRN_OK;
	symbfile_built_free(built);
	return status_of(stop);
}

void symbfile_built_free(struct symbfile_built *built)
{
	for (size_t i = 0; i < COUNT_OF(built->memory); i++)
		free(built->memory[i]);
	memset(built->memory, 0, sizeof(built->memory));
}
