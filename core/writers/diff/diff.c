/* SPDX-License-Identifier: MIT */
/*
 * Walks through two GSYM files in order of address and compares the functions with the same start.
 */
#include "diff.h"

#include "parts.h"

#include "base/memory.h"

static void finish_diff(struct gsym_diff *diff)
{
	gsym_diff_close(&diff->first);
	gsym_diff_close(&diff->second);
	interner_finish(&diff->paths);
}

/* Return true if `status` is CAIRN_OK; otherwise set *in_second to `second`. */
static bool note_side(enum cairn_status status, bool second, bool *in_second)
{
	if (status != CAIRN_OK)
		*in_second = second;
	return status == CAIRN_OK;
}

/*
 * Set *start to the lowest start address that remains in either file. Return false if none remains.
 */
static bool find_start(const struct gsym_diff *diff, uint64_t *start)
{
	uint64_t a, b;
	bool has_a = gsym_diff_peek(&diff->first, &a), has_b = gsym_diff_peek(&diff->second, &b);

	if (has_a)
		*start = has_b && b < a ? b : a;
	else if (has_b)
		*start = b;
	return has_a || has_b;
}

static enum cairn_status compare_files(struct gsym_diff *diff, struct cairn_fault *fault,
                                       bool *in_second)
{
	const bool merged = diff->options.merged;
	enum cairn_status status = CAIRN_OK;
	uint64_t start;

	while (status == CAIRN_OK && !diff->ended && find_start(diff, &start)) {
		status = gsym_diff_gather(&diff->first, start, merged, fault);
		if (!note_side(status, false, in_second))
			break;
		status = gsym_diff_gather(&diff->second, start, merged, fault);
		if (note_side(status, true, in_second))
			status = gsym_diff_group(diff);
	}
	return status;
}

static enum cairn_status open_and_compare(struct gsym_diff *diff, const struct gsym *first,
                                          const struct gsym *second, struct cairn_fault *fault,
                                          bool *in_second)
{
	if (!interner_init(&diff->paths, UINT32_MAX))
		return CAIRN_NO_MEMORY;
	enum cairn_status status = gsym_diff_open(diff, &diff->first, first, fault);
	if (!note_side(status, false, in_second))
		return status;
	status = gsym_diff_open(diff, &diff->second, second, fault);
	if (!note_side(status, true, in_second))
		return status;
	return compare_files(diff, fault, in_second);
}

enum cairn_status gsym_diff(const struct gsym *first, const struct gsym *second,
                            const struct gsym_diff_options *options,
                            const struct gsym_difference_sink *sink,
                            struct gsym_diff_counts *counts, struct cairn_fault *fault,
                            bool *in_second)
{
	WITH_CLEANUP(finish_diff)
	struct gsym_diff diff = { .options = *options, .sink = sink, .counts = counts };

	*counts = (struct gsym_diff_counts){ .equal = 0 };
	*fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	*in_second = false;
	enum cairn_status status = open_and_compare(&diff, first, second, fault, in_second);
	counts->lost_first = diff.first.reader.losses;
	counts->lost_second = diff.second.reader.losses;
	return status;
}
