/* SPDX-License-Identifier: MIT */
/*
 * Reads symbfiles with records in any order, and builds the segments, frames, return pads and
 * buckets.
 */
#include "index_build.h"
#include "index.h"
#include "index_segments.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool segments_capacity(struct segments *s)
{
	size_t capacity[3] = { s->capacity, s->capacity, s->capacity };

	if (s->count < s->capacity)
		return true;
	if (!array_grow(&s->start, &capacity[0], s->count + 1, s->wide ? 8 : 4) ||
	    !array_grow(&s->node, &capacity[1], s->count + 1, sizeof(*s->node)) ||
	    !array_grow(&s->line, &capacity[2], s->count + 1, sizeof(*s->line)))
		return false;
	s->capacity = capacity[2];
	return true;
}

static void stop_build(struct index_build *b, enum build_stop_reason why)
{
	if (b->stop == BUILD_CONTINUE)
		b->stop = why;
}

/*
 * Return true if the offset of `va` from the origin does not fit into 32 bits. Addresses below the
 * origin do not fit either, because a wrapped offset would sort after all others.
 */
static bool is_too_far(const struct segments *s, uint64_t va)
{
	return !s->wide && (va < s->origin || va - s->origin > UINT32_MAX);
}

void segments_put(struct index_build *b, struct segments *s, uint64_t va, uint32_t node,
                  uint32_t line)
{
	uint64_t offset = va - s->origin;

	if (is_too_far(s, va)) {
		stop_build(b, BUILD_TOO_WIDE);
		return;
	}
	if (s->count > s->floor) {
		if (segment_va(s, s->count - 1) == va)
			s->count--;
		else if (s->node[s->count - 1] == node && s->line[s->count - 1] == line)
			return;
	}
	if (s->count >= SYMBFILE_NONE - 1 || !segments_capacity(s)) {
		stop_build(b, s->count >= SYMBFILE_NONE - 1 ? BUILD_TOO_MUCH : BUILD_NO_MEMORY);
		return;
	}
	if (s->wide)
		((uint64_t *)s->start)[s->count] = offset;
	else
		((uint32_t *)s->start)[s->count] = (uint32_t)offset;
	s->node[s->count] = node;
	s->line[s->count] = line;
	s->count++;
}

static bool nodes_capacity(struct index_build *b)
{
	struct nodes *n = &b->nodes;
	size_t capacity[2] = { n->capacity, n->capacity };

	if (n->count < n->capacity)
		return true;
	if (!array_grow(&n->node, &capacity[0], n->count + 1, sizeof(*n->node)) ||
	    !array_grow(&n->start, &capacity[1], n->count + 1, b->out.wide ? 8 : 4))
		return false;
	n->capacity = capacity[1];
	return true;
}

uint32_t nodes_put(struct index_build *b, const struct symbfile_node *node, uint64_t start)
{
	struct nodes *n = &b->nodes;
	uint64_t offset = start - b->out.origin;

	if (is_too_far(&b->out, start)) {
		stop_build(b, BUILD_TOO_WIDE);
		return SYMBFILE_NONE;
	}
	if (n->count >= n->limit || n->count >= SYMBFILE_UNSET || !nodes_capacity(b)) {
		stop_build(b, n->count >= n->limit || n->count >= SYMBFILE_UNSET ? BUILD_TOO_MUCH
		                                                                 : BUILD_NO_MEMORY);
		return SYMBFILE_NONE;
	}
	n->node[n->count] = *node;
	if (b->out.wide)
		((uint64_t *)n->start)[n->count] = offset;
	else
		((uint32_t *)n->start)[n->count] = (uint32_t)offset;
	return (uint32_t)n->count++;
}

static void next_row(struct own_lines *own)
{
	struct symbfile_row row;

	own->has_row = symbfile_next_row(&own->rows, &row) && row.offset <= own->last - own->start;
	if (own->has_row) {
		own->row_va = own->start + row.offset;
		own->row_line = row.line;
	}
}

void own_lines_begin(struct own_lines *own, const struct symbfile_record *record, uint32_t node)
{
	own->start = record->range.start;
	own->last = range_last(&record->range);
	own->node = node;
	own->line = 0;
	own->has_row = false;
	if (record->range.lines.count == 0)
		return;
	symbfile_rows_begin(&own->rows, record);
	next_row(own);
}

void own_lines_put(struct index_build *b, struct segments *s, struct own_lines *own, uint64_t from,
                   uint64_t last)
{
	while (own->has_row && own->row_va <= from) {
		own->line = own->row_line;
		next_row(own);
	}
	segments_put(b, s, from, own->node, own->line);
	while (own->has_row && own->row_va <= last) {
		own->line = own->row_line;
		segments_put(b, s, own->row_va, own->node, own->line);
		next_row(own);
	}
}

struct tree_reader tree_reader(const struct index_build *b, const struct tree *tree)
{
	struct tree_reader reader = { .first = tree->first, .left = tree->nodes };

	reader.file = symbfile_open(b->files[tree->file]);
	reader.file.at = (size_t)tree->offset;
	reader.file.has_header = true;
	/*
	 * Make the reader accept a start in the middle of the file, where it knows neither the
	 * previous address nor the string table. The first pass has checked both.
	 */
	reader.file.has_previous = true;
	reader.file.strings = UINT32_MAX;
	return reader;
}

bool tree_reader_next(struct tree_reader *reader, struct symbfile_record *record)
{
	while (reader->left > 0 && symbfile_next(&reader->file, record)) {
		reader->file.strings = UINT32_MAX;
		if (record->kind != SYMBFILE_RANGE)
			continue;
		if (!reader->begun)
			record->range.start = reader->file.previous = reader->first;
		reader->begun = true;
		if (record->range.length == 0)
			continue;
		reader->left--;
		return true;
	}
	return false;
}

uint32_t build_file_of(const struct index_build *b, size_t outline)
{
	uint32_t file = 0;

	while (file + 1 < b->files_read && b->first_outline[file + 1] <= outline)
		file++;
	return file;
}

struct tree_separation {
	struct outline *outline;
	size_t count, capacity;
};

/* Return true if exactly `depth` frames enclose the node. */
static bool is_deep(const struct index_build *b, uint32_t node, uint32_t depth)
{
	while (depth > 0 && b->nodes.node[node].parent != SYMBFILE_NONE) {
		node = b->nodes.node[node].parent;
		depth--;
	}
	return depth == 0 && b->nodes.node[node].parent == SYMBFILE_NONE;
}

/*
 * Append the outline of the tree that begins with `record`. Search for the tree's first segment
 * from at->segment on. Returns false if the segment is not found or allocation fails.
 */
static bool begin_outline(struct index_build *b, struct tree_separation *to,
                          const struct symbfile_record *record, struct outline *at, uint32_t end)
{
	while (at->segment < end && segment_va(&b->out, at->segment) < record->range.start)
		at->segment++;
	if (at->segment == end || segment_va(&b->out, at->segment) != record->range.start)
		return false;
	at->last = range_last(&record->range);
	at->offset = record->offset;
	if (array_grow(&to->outline, &to->capacity, to->count + 1, sizeof(*to->outline)))
		to->outline[to->count++] = *at;
	else
		build_out_of_memory(b);
	return b->stop == BUILD_CONTINUE;
}

/*
 * Append one outline for each tree in `run`, a sequence of trees that have shared one outline.
 * Returns false if the trees differ from those in the first pass, which means that the file is
 * being modified.
 */
static bool take_run(struct index_build *b, struct tree_separation *to, const struct tree *run)
{
	struct tree_reader reader = tree_reader(b, run);
	struct symbfile_record record;
	struct outline at = { .segment = run->segment, .node = run->node };
	uint32_t end = run->segment + run->segments;

	for (; tree_reader_next(&reader, &record); at.node++) {
		bool begins = at.node == run->node || record.range.depth == 0;
		if (begins && !begin_outline(b, to, &record, &at, end))
			return false;
		if (!is_deep(b, at.node, record.range.depth))
			to->outline[to->count - 1].offset |= OUTLINE_SKIPS_DEPTHS;
	}
	return at.node == run->node + run->nodes;
}

/*
 * Split shared outlines into one outline per tree. Trees share an outline as long as their
 * addresses ascend; at the first tree whose addresses do not, the trees before it are read again.
 * `segment` and `node` are the numbers of segments and nodes read so far.
 */
static void build_separate_trees(struct index_build *b, uint32_t segment, uint32_t node)
{
	struct tree_separation to = { .count = 0 };

	b->apart = true;
	for (size_t i = 0; i < b->outline_count && b->stop == BUILD_CONTINUE; i++) {
		const struct outline *o = &b->outlines[i];
		bool final = i + 1 == b->outline_count;
		struct tree run = { .first = segment_va(&b->out, o->segment),
			            .offset = o->offset & ~OUTLINE_SKIPS_DEPTHS,
			            .file = build_file_of(b, i),
			            .segment = o->segment,
			            .segments = (final ? segment : o[1].segment) - o->segment,
			            .node = o->node,
			            .nodes = (final ? node : o[1].node) - o->node };
		b->first_outline[run.file] = to.count;
		if (!take_run(b, &to, &run) && b->stop == BUILD_CONTINUE)
			b->stop = BUILD_TOO_MUCH;
	}
	free(b->outlines);
	b->outlines = to.outline;
	b->outline_count = to.count;
	b->outline_capacity = to.capacity;
}

/*
 * State while a file is read. In a tidy tree, records are in pre-order: each child follows its
 * preceding sibling and lies inside its parent. Such a tree is cut into segments while it is read,
 * with a stack of open ranges, and only its outline is kept.
 */
struct reading {
	struct index_build *b;
	uint32_t file;
	struct symbfile_string_table texts;
	/*
	 * maps each string's index in the table to its index in the pool; SYMBFILE_NONE before the
	 * string's first use
	 */
	uint32_t *number;
	size_t number_capacity;
	bool in_tree, tidy;
	struct outline tree;
	/* start of the tree's first range, and lowest start of all its ranges */
	uint64_t first, low;
	/* start of the next segment; segments have been created for all lower addresses */
	uint64_t at;
	uint64_t root_end;   /* end of the last range of depth 0 */
	uint64_t root_start; /* start of the function that contains the last range of depth 0 */
	uint32_t root_name;
	unsigned opened; /* number of valid elements in open[]; the others are uninitialized */
	struct own_lines open[SYMBFILE_LEVELS];
	uint32_t depth[SYMBFILE_LEVELS];
};

static void load_table(struct reading *r, const struct symbfile_record *record)
{
	if (symbfile_string_table_load(&r->texts, record) != CAIRN_OK ||
	    !array_grow(&r->number, &r->number_capacity, r->texts.count, sizeof(*r->number))) {
		build_out_of_memory(r->b);
		return;
	}
	if (r->texts.count > 0)
		memset(r->number, 0xff, r->texts.count * sizeof(*r->number));
}

static uint32_t intern_build_text(struct reading *r, struct cairn_bytes text)
{
	uint32_t number = string_pool_add(&r->b->pool, text);

	if (number == STRING_POOL_FULL)
		build_out_of_memory(r->b);
	return number;
}

static uint32_t number_at(struct reading *r, uint32_t index)
{
	if (index >= r->texts.count)
		return SYMBFILE_NONE;
	if (r->number[index] == SYMBFILE_NONE)
		r->number[index] = intern_build_text(r, symbfile_string_table_at(&r->texts, index));
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
	return intern_build_text(r, symbfile_string_table_of(&r->texts, text));
}

static void close_from(struct reading *r, unsigned level)
{
	while (r->opened > level) {
		struct own_lines *own = &r->open[--r->opened];
		if (r->at <= own->last && r->tidy) {
			own_lines_put(r->b, &r->b->out, own, r->at, own->last);
			r->at = own->last + 1;
			/* the address wrapped, so all enclosing ranges end here as well */
			if (r->at == 0) {
				r->opened = 0;
				r->at = UINT64_MAX;
			}
		}
	}
}

/* Return true if all trees so far share outlines and the current tree can join them. */
static bool can_share_outlines(const struct reading *r)
{
	const struct index_build *b = r->b;

	return !b->apart && r->tidy &&
	       (b->outline_count == 0 || b->outlines[b->outline_count - 1].last < r->low);
}

static void append_outline(struct reading *r)
{
	struct index_build *b = r->b;

	if (can_share_outlines(r) && b->outline_count > b->first_outline[r->file]) {
		b->outlines[b->outline_count - 1].last = r->tree.last;
		return;
	}
	if (!b->apart && !can_share_outlines(r))
		build_separate_trees(b, r->tree.segment, r->tree.node);
	if (b->stop != BUILD_CONTINUE)
		return;
	if (!array_grow(&b->outlines, &b->outline_capacity, b->outline_count + 1,
	                sizeof(*b->outlines)))
		build_out_of_memory(b);
	else
		b->outlines[b->outline_count++] = r->tree;
}

static void end_tree(struct reading *r)
{
	struct index_build *b = r->b;

	if (!r->in_tree)
		return;
	close_from(r, 0);
	if (!r->tidy) {
		b->out.count = b->out.floor;
		segments_put(b, &b->out, r->first, SYMBFILE_NONE, 0);
		segments_put(b, &b->out, r->low, SYMBFILE_NONE, 1);
		r->tree.offset |= OUTLINE_UNORDERED;
	}
	r->in_tree = false;
	append_outline(r);
}

static void append_gap(struct index_build *b, uint64_t low)
{
	const struct outline *before = b->outline_count ? &b->outlines[b->outline_count - 1] : NULL;

	b->out.floor = b->out.count;
	if (before && !(before->offset & OUTLINE_UNORDERED) && before->last != UINT64_MAX &&
	    before->last + 1 != low)
		segments_put(b, &b->out, before->last + 1, SYMBFILE_NONE, 0);
	b->out.floor = b->out.count;
}

static void begin_tree(struct reading *r, const struct symbfile_record *record)
{
	const struct symbfile_range *range = &record->range;
	struct index_build *b = r->b;

	end_tree(r);
	append_gap(b, range->start);
	r->in_tree = r->tidy = true;
	r->at = r->first = r->low = range->start;
	r->tree = (struct outline){ .last = range_last(range),
		                    .offset = record->offset,
		                    .segment = (uint32_t)b->out.count,
		                    .node = (uint32_t)b->nodes.count };
}

/*
 * Return the start of the function to which a root range belongs. If a function is split into
 * adjacent ranges with the same name, it starts at the first one.
 */
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
	return nodes_put(r->b, &node, start);
}

/* Close the ranges that end before `range`. Returns true if `range` then continues a tidy tree. */
static bool fits_tidy_tree(struct reading *r, const struct symbfile_range *range)
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
	if (record->range.depth != r->opened)
		r->tree.offset |= OUTLINE_SKIPS_DEPTHS;
	r->at = record->range.start;
	own_lines_begin(own, record, node);
	r->depth[r->opened++] = record->range.depth;
}

static void add_range_record(struct reading *r, const struct symbfile_record *record)
{
	const struct symbfile_range *range = &record->range;
	uint32_t parent = SYMBFILE_NONE;

	r->b->ranges++;
	if (range->length == 0)
		return;
	if (!r->in_tree || range->depth == 0)
		begin_tree(r, record);
	if (range->start < r->low)
		r->low = range->start;
	if (range_last(range) > r->tree.last)
		r->tree.last = range_last(range);
	if (r->tidy && !fits_tidy_tree(r, range))
		r->tidy = false;
	if (!r->tidy)
		parent = SYMBFILE_UNSET;
	else if (r->opened > 0)
		parent = r->open[r->opened - 1].node;
	uint32_t node = add_node(r, range, parent);
	if (r->tidy && node != SYMBFILE_NONE)
		open_range(r, record, node);
}

static void add_pad_record(struct reading *r, const struct symbfile_record *record)
{
	struct index_build *b = r->b;
	struct symbfile_frames frames = symbfile_frames(record);
	struct symbfile_frame f;
	size_t count = record->pad.frames.count;

	if (b->frame_count + count > SYMBFILE_NONE) {
		b->stop = BUILD_TOO_MUCH;
		return;
	}
	if (!array_grow(&b->pad, &b->pad_capacity, b->pads + 1, sizeof(*b->pad)) ||
	    !array_grow(&b->pad_first, &b->pad_first_capacity, b->pads + 2,
	                sizeof(*b->pad_first)) ||
	    !array_grow(&b->frames, &b->frame_capacity, b->frame_count + count,
	                sizeof(*b->frames))) {
		build_out_of_memory(b);
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

static void add_build_record(struct reading *r, const struct symbfile_record *record)
{
	switch (record->kind) {
	case SYMBFILE_RANGE:
		add_range_record(r, record);
		break;
	case SYMBFILE_PAD:
		add_pad_record(r, record);
		break;
	case SYMBFILE_TABLE:
		load_table(r, record);
		break;
	case SYMBFILE_HEADER:
		break;
	}
}

/*
 * Set the origin of 32-bit addresses 2 GiB below the first address, because later addresses may be
 * lower or higher.
 */
static void set_origin(struct index_build *b, const struct symbfile_record *record)
{
	const uint64_t half = (uint64_t)1 << 31;

	if (record->kind == SYMBFILE_RANGE && b->outline_count == 0 && b->nodes.count == 0)
		b->out.origin =
			b->out.wide || record->range.start < half ? 0 : record->range.start - half;
}

static struct cairn_fault read_build_records(struct reading *r, struct cairn_bytes bytes)
{
	struct symbfile file = symbfile_open(bytes);
	struct symbfile_record record;

	while (r->b->stop == BUILD_CONTINUE && symbfile_next(&file, &record)) {
		polling_count(r->b->polling, 1 + record.body.size / 16);
		set_origin(r->b, &record);
		add_build_record(r, &record);
	}
	end_tree(r);
	return symbfile_fault(&file);
}

static void free_reading(struct reading **reading)
{
	struct reading *r = *reading;

	if (!r)
		return;
	symbfile_string_table_finish(&r->texts);
	free(r->number);
	free(r);
}

static struct cairn_fault build_read(struct index_build *b, uint32_t file)
{
	WITH_CLEANUP(free_reading) struct reading *r = malloc(sizeof(*r));

	if (!r) {
		build_out_of_memory(b);
		return (struct cairn_fault){ .status = CAIRN_OK };
	}
	b->first_outline[file] = b->outline_count;
	b->files_read = file + 1;
	/* do not clear `open`, which is large but mostly unused */
	memset(r, 0, offsetof(struct reading, open));
	r->b = b;
	r->file = file;
	r->root_name = SYMBFILE_NONE;
	return read_build_records(r, b->files[file]);
}

struct pad_order {
	uint64_t address;
	uint32_t at;
};

static int compare_pads(const void *left, const void *right)
{
	const struct pad_order *a = left, *b = right;

	return ORDER_BY(a->address, b->address, ORDER_BY(a->at, b->at, 0));
}

/* Sort return pads and their frames by address. Keep the first pad at each address. */
static bool move_pads(struct index_build *b, const struct pad_order *order)
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

static void build_sort_pads(struct index_build *b)
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

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { BUCKET_SEGMENTS = 4 };

static void rebase_segments(struct index_build *b)
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

static void fill_built_index(struct index_build *b, struct symbfile_built *built)
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
	slot_table_finish(&b->pool.slots);
	symbfile_sweep_free(b->sweep);
	*b = (struct index_build){ .stop = b->stop };
}

static void free_build_arrays(struct index_build *b)
{
	symbfile_sweep_free(b->sweep);
	free(b->out.start);
	free(b->out.node);
	free(b->out.line);
	free(b->nodes.node);
	free(b->nodes.start);
	free(b->outlines);
	free(b->pad);
	free(b->pad_first);
	free(b->frames);
	string_pool_finish(&b->pool);
}

static void read_and_order_files(struct index_build *b, struct symbfile_built *built)
{
	for (size_t i = 0; i < b->file_count && b->stop == BUILD_CONTINUE; i++)
		built->fault[i] = build_read(b, (uint32_t)i);
	if (b->stop == BUILD_CONTINUE)
		build_put_in_order(b);
	if (b->stop == BUILD_CONTINUE)
		build_sort_pads(b);
}

static enum cairn_status status_of(enum build_stop_reason stop)
{
	return stop == BUILD_NO_MEMORY ? CAIRN_NO_MEMORY : CAIRN_UNSUPPORTED;
}

static enum build_stop_reason try_build(const struct cairn_bytes *files, size_t count, bool wide,
                                        struct polling *polling, struct symbfile_built *built)
{
	WITH_CLEANUP(free_build_arrays)
	struct index_build b = { .files = files,
		                 .file_count = count,
		                 .out = { .wide = wide },
		                 .nodes = { .limit = UINT32_MAX },
		                 .polling = polling };

	*built = (struct symbfile_built){ .ranges = 0 };
	read_and_order_files(&b, built);
	if (b.stop != BUILD_CONTINUE)
		return b.stop;
	rebase_segments(&b);
	fill_built_index(&b, built);
	if (built->index.segments == 0)
		return BUILD_CONTINUE;
	uint32_t *bucket = make_buckets(&built->index);
	built->index.bucket = bucket;
	built->memory[COUNT_OF(built->memory) - 1] = bucket;
	return bucket ? BUILD_CONTINUE : BUILD_NO_MEMORY;
}

enum cairn_status symbfile_build(const struct cairn_bytes *files, size_t count,
                                 struct polling *polling, struct symbfile_built *built)
{
	*built = (struct symbfile_built){ .ranges = 0 };
	if (count > SYMBFILE_FILES_MAX)
		return CAIRN_UNSUPPORTED;
	enum build_stop_reason stop = try_build(files, count, false, polling, built);
	if (stop == BUILD_TOO_WIDE)
		stop = try_build(files, count, true, polling, built);
	if (stop == BUILD_CONTINUE)
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
