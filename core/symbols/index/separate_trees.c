/* SPDX-License-Identifier: MIT */
/*
 * Trees share one outline as long as they come in ascending order. With the first one that does
 * not, those before it are read once more, for an outline of each.
 */
#include "segments.h"

#include <stdlib.h>

uint32_t build_file_of(const struct index_build *b, size_t outline)
{
	uint32_t file = 0;

	while (file + 1 < b->files_read && b->first_outline[file + 1] <= outline)
		file++;
	return file;
}

/* Outlines that are made. */
struct tree_separation {
	struct outline *outline;
	size_t count, room;
};

/* Is a range as deep as it has frames around it? */
static bool is_deep(const struct index_build *b, uint32_t node, uint32_t depth)
{
	while (depth > 0 && b->nodes.node[node].parent != SYMBFILE_NONE) {
		node = b->nodes.node[node].parent;
		depth--;
	}
	return depth == 0 && b->nodes.node[node].parent == SYMBFILE_NONE;
}

/* The outline of a tree, from the segment `at` on or a later one; false when there is none. */
static bool begin_outline(struct index_build *b, struct tree_separation *to,
                          const struct symbfile_record *record, struct outline *at, uint32_t end)
{
	while (at->segment < end && segment_va(&b->out, at->segment) < record->range.start)
		at->segment++;
	if (at->segment == end || segment_va(&b->out, at->segment) != record->range.start)
		return false;
	at->last = range_last(&record->range);
	at->offset = record->offset;
	if (array_grow(&to->outline, &to->room, to->count + 1, sizeof(*to->outline)))
		to->outline[to->count++] = *at;
	else
		build_out_of_memory(b);
	return b->stop == BUILD_CONTINUE;
}

/*
 * The trees of a run one by one.  False when they are not those of the first time, because somebody
 * writes to the file.
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

void build_separate_trees(struct index_build *b, uint32_t segment, uint32_t node)
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
	b->outline_room = to.room;
}
