/* SPDX-License-Identifier: MIT */
/*
 * The work of making an index: arrays that grow, and the segments of one range's own lines.  Shared
 * by the two ways to cut code into segments: tree by tree as they come (build.c), and a
 * sweep over whatever overlaps (order.c).
 */
#ifndef CAIRN_SYMBOLS_INDEX_SEGMENTS_H
#define CAIRN_SYMBOLS_INDEX_SEGMENTS_H

#include "build.h"

#include "base/array_grow.h"
#include "base/polling.h"
#include "base/table/string_pool.h"

/* A parent that is not known yet: of records that came in no tree. */
#define SYMBFILE_UNSET (UINT32_MAX - 1)

/* Segments, their addresses as differences to an origin unless they are wide. */
struct segments {
	bool wide;
	uint64_t origin;
	void *start;
	uint32_t *node, *line;
	size_t count, room;
	size_t floor; /* segments before it belong to somebody else, and are not touched */
};

static inline uint64_t segment_va(const struct segments *s, size_t i)
{
	return s->origin + (s->wide ? ((uint64_t *)s->start)[i] : ((uint32_t *)s->start)[i]);
}

struct nodes {
	struct symbfile_node *node;
	void *start;
	size_t count, room;
	size_t limit; /* of count */
};

/*
 * The outline of a tree, a range of depth 0 and what follows it up to the next; or, as long as all
 * trees are tidy, in ascending order and apart, of all those of a file with the gaps between them.
 * It has the segments and nodes up to those of the next outline, its last segment being the gap
 * after it.  A file in any other order has one for each function, so they are kept small.
 */
struct outline {
	uint64_t last;          /* of all that is in it; it begins with its first segment */
	uint64_t offset;        /* of its first range's frame; the upper bits: */
	uint32_t segment, node; /* its first ones; */
};

/* Its two segments do not count, but keep the addresses of its first range and of its lowest. */
#define OUTLINE_UNORDERED ((uint64_t)1 << 63)
/* Some range is deeper than the number of those around it. */
#define OUTLINE_SKIPS_DEPTHS ((uint64_t)1 << 62)

/* The same with all that is worth knowing. */
struct tree {
	uint64_t low, last;
	uint64_t first; /* start of its first range */
	uint64_t offset;
	uint32_t file;    /* of the sources */
	bool untidy, odd; /* odd: untidy, or it skips depths */
	uint32_t segment, segments;
	uint32_t node, nodes;
};

/* What ends the work early. */
enum build_stop_reason {
	BUILD_CONTINUE,
	BUILD_NO_MEMORY,
	BUILD_TOO_WIDE, /* addresses do not fit 32 bits from the origin: begin anew with 64 */
	BUILD_TOO_MUCH, /* of overlaps, or of anything */
};

struct index_build {
	const struct cairn_bytes *files;
	size_t file_count, files_read; /* read: or begun */
	struct string_pool pool;
	struct segments out;
	struct nodes nodes;
	struct outline *outlines;
	size_t outline_count, outline_room;
	size_t first_outline[SYMBFILE_FILES_MAX]; /* of each file */
	bool apart;                               /* each outline is of one tree */
	struct sweep *sweep;                      /* what sweeps work with; NULL: there was none */
	uint64_t *pad;
	uint32_t *pad_first;
	size_t pads, pad_room, pad_first_room;
	struct symbfile_pad_node *frames;
	size_t frame_count, frame_room;
	uint64_t ranges;
	enum build_stop_reason stop;
	struct polling *polling; /* of the host; or NULL */
};

static inline void build_out_of_memory(struct index_build *b)
{
	if (b->stop == BUILD_CONTINUE)
		b->stop = BUILD_NO_MEMORY;
}

/* The file that an outline is of. */
uint32_t build_file_of(const struct index_build *b, size_t outline);

/* Puts all in order by address. */
void build_put_in_order(struct index_build *b);
/* A new segment; one at the same address is replaced. */
void segments_put(struct index_build *b, struct segments *s, uint64_t va, uint32_t node,
                  uint32_t line);

/* A new node; SYMBFILE_NONE, and a stop, when there is no room. */
uint32_t nodes_put(struct index_build *b, const struct symbfile_node *node, uint64_t start);

/* The own lines of a range, from its start onwards. */
struct own_lines {
	uint64_t start, last;
	uint32_t node, line; /* line: of the row that holds */
	bool has_row;        /* there is a next one, */
	uint64_t row_va;     /* here */
	uint32_t row_line;
	struct symbfile_rows rows;
};

void own_lines_begin(struct own_lines *own, const struct symbfile_record *record, uint32_t node);

/* Puts the segments of [from, last], which is not before what was put the last time. */
void own_lines_put(struct index_build *b, struct segments *s, struct own_lines *own, uint64_t from,
                   uint64_t last);

/* The last address of a range that is not empty. */
static inline uint64_t range_last(const struct symbfile_range *range)
{
	return range->length - 1 > UINT64_MAX - range->start ? UINT64_MAX
	                                                     : range->start + range->length - 1;
}

/* Goes over the ranges of a tree again. */
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
