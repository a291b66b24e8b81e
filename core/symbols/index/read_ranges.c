/* SPDX-License-Identifier: MIT */
/*
 * Reads well-ordered ranges: trees in pre-order, each child after its elder sibling and inside its
 * parent. Such a tree is cut into segments while it is read, with a stack of what is open; only its
 * outline is kept, and trees in ascending order share one.
 */
#include "build.h"

#include "segments.h"
#include "string_table.h"

#include "base/cleanup.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* While one file is read. */
struct reading {
	struct index_build *b;
	uint32_t file;
	struct symbfile_string_table texts;
	uint32_t *number; /* of each text of the table; SYMBFILE_NONE: not asked yet */
	size_t number_room;
	bool in_tree, tidy;
	struct outline tree;
	uint64_t first, low; /* start of its first range, and of its lowest */
	uint64_t at;         /* all before it has its segments */
	uint64_t root_end;   /* just after the last range of depth 0, */
	uint64_t root_start; /* where its function began, */
	uint32_t root_name;  /* and its name */
	unsigned opened;     /* so many of these are in use; the rest is never written */
	struct own_lines open[SYMBFILE_LEVELS];
	uint32_t depth[SYMBFILE_LEVELS];
};

static void load_table(struct reading *r, const struct symbfile_record *record)
{
	if (symbfile_string_table_load(&r->texts, record) != CAIRN_OK ||
	    !array_grow(&r->number, &r->number_room, r->texts.count, sizeof(*r->number))) {
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

/* Do all trees so far share outlines, and can this one? */
static bool can_share_outlines(const struct reading *r)
{
	const struct index_build *b = r->b;

	return !b->apart && r->tidy &&
	       (b->outline_count == 0 || b->outlines[b->outline_count - 1].last < r->low);
}

/* The outline of a tree that has ended, or the end of one that there is. */
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
	if (!array_grow(&b->outlines, &b->outline_room, b->outline_count + 1, sizeof(*b->outlines)))
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

/* The gap after what came before a tree, unless they are neighbours. */
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
	return nodes_put(r->b, &node, start);
}

/* Is a range the next one of a tidy tree?  Everything that it closes is closed. */
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
	if (!array_grow(&b->pad, &b->pad_room, b->pads + 1, sizeof(*b->pad)) ||
	    !array_grow(&b->pad_first, &b->pad_first_room, b->pads + 2, sizeof(*b->pad_first)) ||
	    !array_grow(&b->frames, &b->frame_room, b->frame_count + count, sizeof(*b->frames))) {
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

/* The origin of 32-bit addresses: half of their space before the first one that is met. */
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

struct cairn_fault build_read(struct index_build *b, uint32_t file)
{
	WITH_CLEANUP(free_reading) struct reading *r = malloc(sizeof(*r));

	if (!r) {
		build_out_of_memory(b);
		return (struct cairn_fault){ .status = CAIRN_OK };
	}
	b->first_outline[file] = b->outline_count;
	b->files_read = file + 1;
	memset(r, 0, offsetof(struct reading, open)); /* levels are large, and few are used */
	r->b = b;
	r->file = file;
	r->root_name = SYMBFILE_NONE;
	return read_build_records(r, b->files[file]);
}
