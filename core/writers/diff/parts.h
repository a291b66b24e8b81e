/* SPDX-License-Identifier: MIT */
/*
 * The stages of gsym_diff(): reading one file, pairing functions with the same start, comparing two
 * functions.
 */
#ifndef CAIRN_WRITERS_DIFF_PARTS_H
#define CAIRN_WRITERS_DIFF_PARTS_H

#include "diff.h"

#include "base/bytes.h"
#include "base/table.h"
#include "symbols/sources/gsym.h"

#include <string.h>

/* A function of the current group, that is, with the current start address. */
struct gsym_diff_item {
	struct gsym_function record;
	struct cairn_bytes name;
	uint32_t order; /* position in the file */
	bool done;
};

/*
 * Sort key of an inlined call: first address, then depth, so that outer calls precede inner ones.
 */
struct gsym_diff_call {
	uint64_t low;
	uint32_t depth, index;
};

struct gsym_diff_side {
	struct gsym_reader reader;
	uint32_t next; /* first function after the current group */
	/* Path number of each file entry; equal paths of both files have the same number. */
	uint32_t *path;
	struct gsym_diff_item *item;
	size_t items, room;
	struct gsym_diff_call *call;
	size_t call_room;
};

struct gsym_diff {
	struct gsym_diff_side first, second;
	struct gsym_diff_options options;
	const struct gsym_difference_sink *sink;
	struct gsym_diff_counts *counts;
	struct interner paths;
	bool differs; /* the current pair differs */
	bool ended;
};

/* sides.c: open one file. Returns CAIRN_OK, NO_MEMORY or MALFORMED. */
enum cairn_status gsym_diff_open(struct gsym_diff *diff, struct gsym_diff_side *side,
                                 const struct gsym *gsym, struct cairn_fault *fault);
void gsym_diff_close(struct gsym_diff_side *side);

/* Set *start to the start address of the next group. Return false at the end of the file. */
bool gsym_diff_peek(const struct gsym_diff_side *side, uint64_t *start);

/*
 * Read the functions at `start` into side->item, which may become empty. Return CAIRN_OK, NO_MEMORY
 * or MALFORMED.
 */
enum cairn_status gsym_diff_gather(struct gsym_diff_side *side, uint64_t start, bool merged,
                                   struct cairn_fault *fault);

/* group.c: pair the functions of both groups and compare them. Returns CAIRN_OK or NO_MEMORY. */
enum cairn_status gsym_diff_group(struct gsym_diff *diff);

/* lines.c, inlines.c, calls.c: compare the two functions in the readers. */
void gsym_diff_lines(struct gsym_diff *diff);
bool gsym_diff_inlines(struct gsym_diff *diff);
void gsym_diff_calls(struct gsym_diff *diff);

static inline void gsym_diff_report(struct gsym_diff *diff,
                                    const struct gsym_difference *difference)
{
	diff->differs = true;
	if (!diff->ended)
		diff->ended = !diff->sink->take(diff->sink->context, difference);
}

#endif
