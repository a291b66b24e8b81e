/* SPDX-License-Identifier: MIT */
/*
 * Internals of the index builder: growing arrays, and cutting one range's lines into segments.
 * There are two ways to cut code into segments, which share this header: tree by tree while reading
 * (build.c), and a sweep over ranges that overlap (order.c).
 */
#ifndef CAIRN_SYMBOLS_INDEX_SEGMENTS_H
#define CAIRN_SYMBOLS_INDEX_SEGMENTS_H

#include "build.h"

#include "base/memory.h"
#include "base/polling.h"
#include "base/table.h"

/* Parent of a node whose record was not part of a tidy tree; the sweep sets it. */
#define SYMBFILE_UNSET (UINT32_MAX - 1)

/* Segments. Addresses are 32-bit offsets from `origin`, or 64-bit if `wide`. */
struct segments {
	bool wide;
	uint64_t origin;
	void *start;
	uint32_t *node, *line;
	size_t count, room;
	size_t floor; /* segments_put() does not modify or merge with segments below this index */
};

static inline uint64_t segment_va(const struct segments *s, size_t i)
{
	return s->origin + (s->wide ? ((uint64_t *)s->start)[i] : ((uint32_t *)s->start)[i]);
}

struct nodes {
	struct symbfile_node *node;
	void *start;
	size_t count, room;
	size_t limit;
};

/*
 * A tree is a range of depth 0 and the ranges that follow it up to the next range of depth 0. As
 * long as all trees are tidy, ascending and disjoint, one outline describes all trees of a file,
 * including the gaps between them. Otherwise there is one outline per tree, so outlines are kept
 * small.
 *
 * An outline's segments and nodes extend to the first segment and node of the next outline. Its
 * last segment is the gap that follows it.
 */
struct outline {
	uint64_t last; /* last address covered; the first segment gives the start */
	/* file offset of the first range's frame, with the OUTLINE_ flags in the upper bits */
	uint64_t offset;
	uint32_t segment, node;
};

/*
 * The tree is untidy and must still be cut. Its two segments are placeholders that contain the
 * start of its first range and its lowest address.
 */
#define OUTLINE_UNORDERED ((uint64_t)1 << 63)
/* The depth of some range is greater than the number of ranges around it. */
#define OUTLINE_SKIPS_DEPTHS ((uint64_t)1 << 62)

/* An outline with all derived values filled in. */
struct tree {
	uint64_t low, last;
	uint64_t first;
	uint64_t offset;
	uint32_t file;
	bool untidy, odd; /* `odd`: untidy or with skipped depths */
	uint32_t segment, segments;
	uint32_t node, nodes;
};

enum build_stop_reason {
	BUILD_CONTINUE,
	BUILD_NO_MEMORY,
	BUILD_TOO_WIDE, /* addresses do not fit 32 bits; restart with 64 */
	BUILD_TOO_MUCH, /* too many overlaps, or too many of something */
};

struct index_build {
	const struct cairn_bytes *files;
	size_t file_count, files_read; /* `files_read` includes the file being read */
	struct string_pool pool;
	struct segments out;
	struct nodes nodes;
	struct outline *outlines;
	size_t outline_count, outline_room;
	size_t first_outline[SYMBFILE_FILES_MAX];
	bool apart; /* each outline describes a single tree */
	/* buffers reused between sweeps; NULL before the first */
	struct sweep *sweep;
	uint64_t *pad;
	uint32_t *pad_first;
	size_t pads, pad_room, pad_first_room;
	struct symbfile_pad_node *frames;
	size_t frame_count, frame_room;
	uint64_t ranges;
	enum build_stop_reason stop;
	struct polling *polling;
};

static inline void build_out_of_memory(struct index_build *b)
{
	if (b->stop == BUILD_CONTINUE)
		b->stop = BUILD_NO_MEMORY;
}

/* Return the index of the file that contains an outline. */
uint32_t build_file_of(const struct index_build *b, size_t outline);

/* Sort all segments by address, and cut trees that overlap or are untidy. */
void build_put_in_order(struct index_build *b);
/* Append a segment. Replaces the last one if it has the same address. */
void segments_put(struct index_build *b, struct segments *s, uint64_t va, uint32_t node,
                  uint32_t line);

/*
 * Append a node. Returns SYMBFILE_NONE and stops the build if there is no memory or a limit
 * is reached.
 */
uint32_t nodes_put(struct index_build *b, const struct symbfile_node *node, uint64_t start);

/* Iterates over a range's own line table. */
struct own_lines {
	uint64_t start, last;
	uint32_t node, line; /* `line`: line of the current row */
	bool has_row;        /* whether there is a next row; `row_va` and `row_line` describe it */
	uint64_t row_va;
	uint32_t row_line;
	struct symbfile_rows rows;
};

void own_lines_begin(struct own_lines *own, const struct symbfile_record *record, uint32_t node);

/*
 * Append the segments of [from, last]. `from` must not be before the `last` of the previous call.
 */
void own_lines_put(struct index_build *b, struct segments *s, struct own_lines *own, uint64_t from,
                   uint64_t last);

/* Return the last address of a non-empty range. */
static inline uint64_t range_last(const struct symbfile_range *range)
{
	return range->length - 1 > UINT64_MAX - range->start ? UINT64_MAX
	                                                     : range->start + range->length - 1;
}

/* Reads the ranges of a tree a second time. */
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
