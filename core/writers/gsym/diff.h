/* SPDX-License-Identifier: MIT */
/*
 * Compares two GSYM files of the same program.
 *
 * The comparison covers what lookups return: functions by start address, and, for functions in both
 * files, their ranges, names, line tables and inlined calls. The encoding (version, byte order,
 * base address, string order, line table windows) does not matter. Paths are compared after joining
 * directory and name.
 *
 * Differences are reported in address order. Functions with the same start are paired in three
 * rounds: first functions with the same range and name, then with the same name, then with the same
 * range. Functions without a partner are reported as being in one file only. The result does not
 * depend on the order within a file or on the machine.
 *
 * Memory is needed for the largest function of either file and for the paths of both.
 */
#ifndef CAIRN_WRITERS_GSYM_DIFF_H
#define CAIRN_WRITERS_GSYM_DIFF_H

#include "symbols/gsym.h"

enum gsym_difference_kind {
	GSYM_ONLY_FIRST,
	GSYM_ONLY_SECOND,
	GSYM_DIFFERENT_RANGE,
	GSYM_DIFFERENT_NAME,
	GSYM_DIFFERENT_LINES,
	GSYM_DIFFERENT_INLINE,
	GSYM_DIFFERENT_CALL,
};

/*
 * One file's side of a difference. `function` is NULL if the file lacks the function. `row`, `call`
 * and `site` are set only for GSYM_DIFFERENT_LINES, GSYM_DIFFERENT_INLINE and GSYM_DIFFERENT_CALL,
 * respectively, and are NULL if the file has no line, inlined call or call site there.
 */
struct gsym_difference_side {
	const struct function *function;
	const struct function_row *row;
	const struct function_inline *call;
	const struct function_call *site;
};

struct gsym_difference {
	enum gsym_difference_kind kind;
	/*
	 * Address range (va) of the function, of the line, or of the inlined call's first range.
	 * For a call site, both fields are the return address.
	 */
	uint64_t low, high;
	/*
	 * true if file and line are equal and only the statement flags differ
	 * (GSYM_DIFFERENT_LINES)
	 */
	bool marks_only;
	struct gsym_difference_side first, second;
};

/*
 * Callback for each difference. Its arguments are valid during the call. Returns false to end the
 * comparison.
 */
struct gsym_difference_sink {
	bool (*take)(void *context, const struct gsym_difference *difference);
	void *context;
};

struct gsym_diff_options {
	bool merged;
	bool calls;
	bool statements; /* compare statement flags, and all rows that share an address */
};

struct gsym_diff_counts {
	uint64_t equal, differ, only_first, only_second;
	/* damaged data in each file; damaged data is not compared */
	struct gsym_losses lost_first, lost_second;
};

/*
 * Compare two files. Returns CAIRN_OK even if the sink ended the comparison, NO_MEMORY, or
 * MALFORMED if the addresses in a file are not in ascending order or its paths are too long in
 * total. *fault then refers to the second file if *in_second is set, otherwise to the first.
 */
CAIRN_MUST_USE enum cairn_status gsym_diff(const struct gsym *first, const struct gsym *second,
                                           const struct gsym_diff_options *options,
                                           const struct gsym_difference_sink *sink,
                                           struct gsym_diff_counts *counts,
                                           struct cairn_fault *fault, bool *in_second);

#endif
