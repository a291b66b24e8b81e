/* SPDX-License-Identifier: MIT */
/* Compares the inlined calls of a function in two GSYM files. */
#include "parts.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

static int compare_call_places(const struct gsym_diff_call *a, const struct gsym_diff_call *b)
{
	return ORDER_BY(a->low, b->low, ORDER_BY(a->depth, b->depth, 0));
}

static int compare_sorted_calls(const void *left, const void *right)
{
	const struct gsym_diff_call *a = left, *b = right;
	const int order = compare_call_places(a, b);

	return order != 0 ? order : ORDER_BY(a->index, b->index, 0);
}

static const struct cairn_range *find_ranges(const struct function *function,
                                             const struct function_inline *call)
{
	return &function->range[call->range];
}

static bool sort_calls(struct gsym_diff_side *side)
{
	const struct function *f = &side->reader.function;

	if (!array_grow(&side->call, &side->call_room, f->inline_count, sizeof(*side->call)))
		return false;
	for (size_t i = 0; i < f->inline_count; i++)
		side->call[i] = (struct gsym_diff_call){ find_ranges(f, &f->inlines[i])->low,
			                                 f->inlines[i].depth, (uint32_t)i };
	if (f->inline_count > 1)
		qsort(side->call, f->inline_count, sizeof(*side->call), compare_sorted_calls);
	return true;
}

/* Return true if the calls are equal. Their first address and depth have been compared. */
static bool is_same_call(const struct gsym_diff *diff, const struct function_inline *a,
                         const struct function_inline *b)
{
	const struct function *f = &diff->first.reader.function, *g = &diff->second.reader.function;

	if (a->ranges != b->ranges || a->call_line != b->call_line ||
	    diff->first.path[a->call_file] != diff->second.path[b->call_file] ||
	    (diff->options.statements && a->entry != b->entry) ||
	    bytes_order(a->name, b->name) != 0)
		return false;
	return memcmp(find_ranges(f, a), find_ranges(g, b),
	              a->ranges * sizeof(struct cairn_range)) == 0;
}

static void report_call(struct gsym_diff *diff, const struct function_inline *a,
                        const struct function_inline *b)
{
	const struct function *f = &diff->first.reader.function, *g = &diff->second.reader.function;
	const struct cairn_range *range = a ? find_ranges(f, a) : find_ranges(g, b);
	const struct gsym_difference difference = { .kind = GSYM_DIFFERENT_INLINE,
		                                    .low = range->low,
		                                    .high = range->high,
		                                    .first = { f, .call = a },
		                                    .second = { g, .call = b } };

	gsym_diff_report(diff, &difference);
}

static void merge_calls(struct gsym_diff *diff)
{
	const struct gsym_diff_side *a = &diff->first, *b = &diff->second;
	const struct function *f = &a->reader.function, *g = &b->reader.function;
	size_t i = 0, j = 0;

	while (!diff->ended && (i < f->inline_count || j < g->inline_count)) {
		int order = i == f->inline_count   ? 1
		            : j == g->inline_count ? -1
		                                   : compare_call_places(&a->call[i], &b->call[j]);
		const struct function_inline *left =
			order <= 0 ? &f->inlines[a->call[i++].index] : NULL;
		const struct function_inline *right =
			order >= 0 ? &g->inlines[b->call[j++].index] : NULL;
		if (order != 0 || !is_same_call(diff, left, right))
			report_call(diff, left, right);
	}
}

bool gsym_diff_inlines(struct gsym_diff *diff)
{
	if (!sort_calls(&diff->first) || !sort_calls(&diff->second))
		return false;
	merge_calls(diff);
	return true;
}
