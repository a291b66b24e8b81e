/* SPDX-License-Identifier: MIT */
/* The stages of gsym_diff(): one file's side, the functions of one start, two functions. */
#ifndef CAIRN_WRITERS_DIFF_PARTS_H
#define CAIRN_WRITERS_DIFF_PARTS_H

#include "diff.h"

#include "base/bytes_compare.h"
#include "base/table/interner.h"
#include "symbols/sources/gsym.h"

#include <string.h>

/* A function that begins at the group's start. */
struct gsym_diff_item {
	struct gsym_function record;
	struct cairn_bytes name;
	uint32_t order; /* in the file */
	bool done;
};

/* An inlined call as it is sorted: by its first address, those around it first. */
struct gsym_diff_call {
	uint64_t low;
	uint32_t depth, index; /* in the function */
};

/* One of the two files. */
struct gsym_diff_side {
	struct gsym_reader reader;
	uint32_t next;  /* function that is not in a group yet */
	uint32_t *path; /* number of each entry's path; equal paths of both files have one number */
	struct gsym_diff_item *item; /* the group */
	size_t items, room;
	struct gsym_diff_call *call; /* inlined calls of the function in progress, sorted */
	size_t call_room;
};

struct gsym_diff {
	struct gsym_diff_side first, second;
	struct gsym_diff_options options;
	const struct gsym_difference_sink *sink;
	struct gsym_diff_counts *counts;
	struct interner paths;
	bool differs; /* the pair in progress */
	bool ended;   /* the sink wants no more */
};

/* sides.c: opens a file; CAIRN_OK, NO_MEMORY or MALFORMED. */
enum cairn_status gsym_diff_open(struct gsym_diff *diff, struct gsym_diff_side *side,
                                 const struct gsym *gsym, struct cairn_fault *fault);
void gsym_diff_close(struct gsym_diff_side *side);

/* Where the next group of a file begins; false at its end. */
bool gsym_diff_peek(const struct gsym_diff_side *side, uint64_t *start);

/*
 * The functions at `start` into side->item, none if the file has no more there.  CAIRN_OK, NO_MEMORY or
 * MALFORMED.
 */
enum cairn_status gsym_diff_gather(struct gsym_diff_side *side, uint64_t start, bool merged,
                                   struct cairn_fault *fault);

/* group.c: pairs the functions of both groups and compares them.  CAIRN_OK or NO_MEMORY. */
enum cairn_status gsym_diff_group(struct gsym_diff *diff);

/* lines.c, inlines.c, calls.c: of the two functions that the readers hold. */
void gsym_diff_lines(struct gsym_diff *diff);
bool gsym_diff_inlines(struct gsym_diff *diff); /* false: out of memory */
void gsym_diff_calls(struct gsym_diff *diff);

/* Hands one difference on, and notes that the pair differs. */
static inline void gsym_diff_report(struct gsym_diff *diff,
                                    const struct gsym_difference *difference)
{
	diff->differs = true;
	if (!diff->ended)
		diff->ended = !diff->sink->take(diff->sink->context, difference);
}

#endif
