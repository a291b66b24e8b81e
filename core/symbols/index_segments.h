/* SPDX-License-Identifier: MIT */
/*
 * Internals of the index builder: its growing arrays, and functions that cut a range into segments
 * by its lines. Two algorithms use them: index_build.c cuts ranges tree by tree while it reads
 * them; index_order.c sweeps over ranges that overlap.
 */
#ifndef CAIRN_SYMBOLS_INDEX_SEGMENTS_H
#define CAIRN_SYMBOLS_INDEX_SEGMENTS_H

#include "index_build.h"

#include "base/memory.h"
#include "base/polling.h"
#include "base/table.h"

/*
 * Placeholder for the parent of a node whose record is outside any tidy tree, until the sweep sets
 * the parent.
 */
#define SYMBFILE_UNSET (UINT32_MAX - 1)

/* Array of segments. Addresses are 32-bit offsets from `origin`, or 64-bit offsets if `wide`. */
struct segments {
	bool wide;
	uint64_t origin;
	void *start;
	uint32_t *node, *line;
	size_t count, capacity;
	/* segments_put() neither changes segments below this index nor merges with them */
	size_t floor;
};

static inline uint64_t segment_va(const struct segments *s, size_t i)
{
	return s->origin + (s->wide ? ((uint64_t *)s->start)[i] : ((uint32_t *)s->start)[i]);
}

struct nodes {
	struct symbfile_node *node;
	void *start;
	size_t count, capacity;
	size_t limit;
};

/*
 * A tree is a range of depth 0 and all ranges up to the next range of depth 0. A tree is tidy if it
 * can be cut into segments while it is read. As long as all trees are tidy, ascending and disjoint,
 * one outline describes all trees in a file, including the gaps between them. Otherwise there is
 * one outline per tree, so outlines are kept small.
 *
 * An outline's segments and nodes extend to the first segment and node of the next outline. Its
 * last segment is the gap after the outline.
 */
struct outline {
	/* last address covered; the lowest address is the start of the first segment */
	uint64_t last;
	/* file offset of the first range's frame, with the OUTLINE_ flags in the upper bits */
	uint64_t offset;
	uint32_t segment, node;
};

/*
 * Flag for an untidy tree that has not been cut yet. The tree's two segments are placeholders: one
 * contains the start of its first range, the other its lowest address.
 */
#define OUTLINE_UNORDERED ((uint64_t)1 << 63)
/* Flag for a tree in which the depth of some range exceeds the number of ranges around it. */
#define OUTLINE_SKIPS_DEPTHS ((uint64_t)1 << 62)

struct tree {
	uint64_t low, last;
	uint64_t first;
	uint64_t offset;
	uint32_t file;
	bool untidy, odd; /* `odd`: the tree is untidy or skips depths */
	uint32_t segment, segments;
	uint32_t node, nodes;
};

enum build_stop_reason {
	BUILD_CONTINUE,
	BUILD_NO_MEMORY,
	BUILD_TOO_WIDE, /* addresses do not fit into 32 bits; restart with 64 bits */
	BUILD_TOO_MUCH, /* too many overlapping ranges, or a count exceeds its limit */
};

struct index_build {
	const struct cairn_bytes *files;
	size_t file_count, files_read;
	struct string_pool pool;
	struct segments out;
	struct nodes nodes;
	struct outline *outlines;
	size_t outline_count, outline_capacity;
	size_t first_outline[SYMBFILE_FILES_MAX];
	bool apart; /* each outline describes a single tree */
	/* buffers reused between sweeps; NULL before the first sweep */
	struct sweep *sweep;
	uint64_t *pad;
	uint32_t *pad_first;
	size_t pads, pad_capacity, pad_first_capacity;
	struct symbfile_pad_node *frames;
	size_t frame_count, frame_capacity;
	uint64_t ranges;
	enum build_stop_reason stop;
	struct polling *polling;
};

static inline void build_out_of_memory(struct index_build *b)
{
	if (b->stop == BUILD_CONTINUE)
		b->stop = BUILD_NO_MEMORY;
}

uint32_t build_file_of(const struct index_build *b, size_t outline);

/* Sort all segments by address, and cut the trees that overlap or are untidy. */
void build_put_in_order(struct index_build *b);
/* Append a segment, or replace the last segment if it has the same address. */
void segments_put(struct index_build *b, struct segments *s, uint64_t va, uint32_t node,
                  uint32_t line);

/*
 * Append a node. If allocation fails or a limit is reached, stops the build and returns
 * SYMBFILE_NONE.
 */
uint32_t nodes_put(struct index_build *b, const struct symbfile_node *node, uint64_t start);

struct own_lines {
	uint64_t start, last;
	uint32_t node, line; /* `line` belongs to the current row */
	bool has_row;
	uint64_t row_va;
	uint32_t row_line;
	struct symbfile_rows rows;
};

void own_lines_begin(struct own_lines *own, const struct symbfile_record *record, uint32_t node);

/* Append the segments in [from, last]. `from` must not be lower than the previous call's `last`. */
void own_lines_put(struct index_build *b, struct segments *s, struct own_lines *own, uint64_t from,
                   uint64_t last);

static inline uint64_t range_last(const struct symbfile_range *range)
{
	return range->length - 1 > UINT64_MAX - range->start ? UINT64_MAX
	                                                     : range->start + range->length - 1;
}

/* Reads the ranges of a tree from its symbfile again. */
struct tree_reader {
	struct symbfile file;
	uint64_t first;
	uint32_t left;
	bool begun;
};

struct tree_reader tree_reader(const struct index_build *b, const struct tree *tree);
bool tree_reader_next(struct tree_reader *reader, struct symbfile_record *record);

void symbfile_sweep_free(struct sweep *sweep);

#endif
