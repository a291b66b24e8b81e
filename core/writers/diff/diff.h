/* SPDX-License-Identifier: MIT */
/*
 * What two GSYM files tell differently about the same program.
 *
 * Compared is what lookups return: functions by their starts, and of those that both files have, ranges,
 * names, the place of each address, and inlined calls.  How a file encodes it (version, byte order, base,
 * order of strings, windows of line tables) does not matter.  Paths are compared joined.
 *
 * Differences come in the order of addresses.  Of functions with one start, those are compared with each
 * other that have the same range and name; of the others those with the same name; then those with the same
 * range.  What is left is in one file only.  Neither the order within a file nor the machine changes the
 * result.
 *
 * Memory is that of the largest function of either file, and of the paths of both.
 */
#ifndef CAIRN_WRITERS_DIFF_DIFF_H
#define CAIRN_WRITERS_DIFF_DIFF_H

#include "symbols/sources/gsym.h"

enum gsym_difference_kind {
	GSYM_ONLY_FIRST,
	GSYM_ONLY_SECOND,
	GSYM_DIFFERENT_RANGE,
	GSYM_DIFFERENT_NAME,
	GSYM_DIFFERENT_LINES,
	GSYM_DIFFERENT_INLINE,
	GSYM_DIFFERENT_CALL,
};

/* What one file has where they differ. */
struct gsym_difference_side {
	const struct function *function;    /* NULL: the function is not in this file */
	const struct function_row *row;     /* _LINES: NULL: nothing is known of this piece */
	const struct function_inline *call; /* _INLINE: NULL: it is not in this file */
	const struct function_call *site;   /* _CALL: NULL: it is not in this file */
};

struct gsym_difference {
	enum gsym_difference_kind kind;
	uint64_t low, high; /* va, of the piece of code: of the function, of the line, of the call's
	                       first range, or the return address, and then `high` is the same */
	bool marks_only;    /* _LINES: the places are equal; what debuggers need of them is not */
	struct gsym_difference_side first, second;
};

/* All of it is lent during the call; false ends the comparison. */
struct gsym_difference_sink {
	bool (*take)(void *context, const struct gsym_difference *difference);
	void *context;
};

struct gsym_diff_options {
	bool merged;     /* functions that were folded into another one count, too */
	bool calls;      /* call sites count, too */
	bool statements; /* where statements begin counts, too, and rows that share an address */
};

struct gsym_diff_counts {
	uint64_t equal, differ, only_first, only_second; /* functions */
	struct gsym_losses lost_first, lost_second;      /* what was damaged, and not compared */
};

/*
 * CAIRN_OK, also when the sink ended it; NO_MEMORY; MALFORMED when a file's addresses do not ascend or its
 * paths share too many bytes, with *fault, whose offset is one of the first file, or with *in_second of the
 * second one.
 */
CAIRN_MUST_USE enum cairn_status gsym_diff(const struct gsym *first, const struct gsym *second,
                                           const struct gsym_diff_options *options,
                                           const struct gsym_difference_sink *sink,
                                           struct gsym_diff_counts *counts,
                                           struct cairn_fault *fault, bool *in_second);

#endif
