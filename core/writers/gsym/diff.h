/* SPDX-License-Identifier: MIT */
/*
 * Compares two GSYM files of the same program.
 *
 * The comparison covers what lookups return: functions by start address, and for functions in both
 * files their ranges, names, line tables and inlined calls. The encoding (version, byte order, base
 * address, string order, line table windows) does not matter. Paths are compared after joining
 * directory and name.
 *
 * Differences are reported in order of address. Functions with the same start are paired if they
 * have the same range and name, then the remaining ones if they have the same name, and then if
 * they have the same range. Functions without a partner are reported as being in one file only. The
 * result does not depend on the order within a file or on the machine.
 *
 * Memory is needed for the largest function of either file and for the paths of both.
 */
#ifndef CAIRN_WRITERS_GSYM_DIFF_H
#define CAIRN_WRITERS_GSYM_DIFF_H

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

struct gsym_difference_side {
	const struct function *function; /* NULL if the function is not in this file */
	/* _LINES: NULL if this file has no line for the address. */
	const struct function_row *row;
	const struct function_inline *call; /* _INLINE: NULL if the call is not in this file */
	const struct function_call *site;   /* _CALL: NULL if the call site is not in this file */
};

struct gsym_difference {
	enum gsym_difference_kind kind;
	/*
	 * Range (va) of the function, the line, or the first range of the inlined call; for a call
	 * site both are the return address.
	 */
	uint64_t low, high;
	bool marks_only; /* _LINES: file and line are equal, but statement marks differ */
	struct gsym_difference_side first, second;
};

/*
 * The callback borrows everything it gets until it returns. It returns false to end the comparison.
 */
struct gsym_difference_sink {
	bool (*take)(void *context, const struct gsym_difference *difference);
	void *context;
};

struct gsym_diff_options {
	bool merged; /* include functions that were folded into another one */
	bool calls;
	bool statements; /* include statement marks, and rows that share an address */
};

struct gsym_diff_counts {
	uint64_t equal, differ, only_first, only_second; /* numbers of functions */
	struct gsym_losses lost_first, lost_second;      /* damaged data that was not compared */
};

/*
 * Compare two files. Return CAIRN_OK, also if the sink ended the comparison, NO_MEMORY, or
 * MALFORMED if the addresses of a file do not ascend or its paths share too many bytes. In that
 * case *fault refers to the first file, or to the second one if *in_second is set.
 */
CAIRN_MUST_USE enum cairn_status gsym_diff(const struct gsym *first, const struct gsym *second,
                                           const struct gsym_diff_options *options,
                                           const struct gsym_difference_sink *sink,
                                           struct gsym_diff_counts *counts,
                                           struct cairn_fault *fault, bool *in_second);

#endif
