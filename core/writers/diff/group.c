/* SPDX-License-Identifier: MIT */
/* Pairs the functions of two files that have the same start, and compares the pairs. */
#include "parts.h"

#include <stdlib.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_sizes(const void *left, const void *right)
{
	const struct gsym_diff_item *a = left, *b = right;

	return compare_numbers(a->record.size, b->record.size);
}

static int compare_item_names(const void *left, const void *right)
{
	const struct gsym_diff_item *a = left, *b = right;

	return bytes_order(a->name, b->name);
}

static int compare_sizes_and_names(const void *left, const void *right)
{
	int order = compare_sizes(left, right);

	return order ? order : compare_item_names(left, right);
}

/* Sort by all known properties, so that the order in the file only matters for equal functions. */
static int sort_by_size(const void *left, const void *right)
{
	const struct gsym_diff_item *a = left, *b = right;
	int order = compare_sizes_and_names(left, right);

	return order ? order : compare_numbers(a->order, b->order);
}

static int sort_by_name(const void *left, const void *right)
{
	int order = compare_item_names(left, right);

	return order ? order : sort_by_size(left, right);
}

static enum cairn_status read_item(struct gsym_diff_side *side, const struct gsym_diff_item *item)
{
	struct gsym_block merged;

	return gsym_reader_read(&side->reader, &item->record, &merged);
}

static void report_heads(struct gsym_diff *diff)
{
	const struct function *a = &diff->first.reader.function, *b = &diff->second.reader.function;
	struct gsym_difference difference = { .low = a->start,
		                              .high = a->start + a->size,
		                              .first = { .function = a },
		                              .second = { .function = b } };

	difference.kind = GSYM_DIFFERENT_RANGE;
	if (a->size != b->size)
		gsym_diff_report(diff, &difference);
	difference.kind = GSYM_DIFFERENT_NAME;
	if (bytes_order(a->name, b->name) != 0)
		gsym_diff_report(diff, &difference);
}

static enum cairn_status compare_pair(struct gsym_diff *diff, struct gsym_diff_item *a,
                                      struct gsym_diff_item *b)
{
	a->done = b->done = true;
	diff->differs = false;
	if (read_item(&diff->first, a) != CAIRN_OK || read_item(&diff->second, b) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	report_heads(diff);
	gsym_diff_lines(diff);
	if (!gsym_diff_inlines(diff))
		return CAIRN_NO_MEMORY;
	if (diff->options.calls)
		gsym_diff_calls(diff);
	diff->counts->differ += diff->differs;
	diff->counts->equal += !diff->differs;
	return CAIRN_OK;
}

/* Return the index of the first unpaired function from `at` on, or side->items. */
static size_t skip_done(const struct gsym_diff_side *side, size_t at)
{
	while (at < side->items && side->item[at].done)
		at++;
	return at;
}

/* Compare the functions that are equal according to `compare`. Both sides must be sorted by it. */
static enum cairn_status pair_equal(struct gsym_diff *diff,
                                    int (*compare)(const void *left, const void *right))
{
	struct gsym_diff_side *a = &diff->first, *b = &diff->second;
	size_t i = skip_done(a, 0), j = skip_done(b, 0);
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && !diff->ended && i < a->items && j < b->items) {
		int order = compare(&a->item[i], &b->item[j]);
		if (order == 0)
			status = compare_pair(diff, &a->item[i], &b->item[j]);
		i = order <= 0 ? skip_done(a, i + 1) : i;
		j = order >= 0 ? skip_done(b, j + 1) : j;
	}
	return status;
}

static enum cairn_status report_single(struct gsym_diff *diff, struct gsym_diff_side *side,
                                       const struct gsym_diff_item *item)
{
	bool is_first = side == &diff->first;
	const struct function *function = &side->reader.function;

	if (read_item(side, item) != CAIRN_OK)
		return CAIRN_NO_MEMORY;
	struct gsym_difference difference = { .kind = is_first ? GSYM_ONLY_FIRST : GSYM_ONLY_SECOND,
		                              .low = function->start,
		                              .high = function->start + function->size };
	*(is_first ? &difference.first : &difference.second) =
		(struct gsym_difference_side){ .function = function };
	gsym_diff_report(diff, &difference);
	*(is_first ? &diff->counts->only_first : &diff->counts->only_second) += 1;
	return CAIRN_OK;
}

static enum cairn_status report_singles(struct gsym_diff *diff, struct gsym_diff_side *side)
{
	enum cairn_status status = CAIRN_OK;

	for (size_t i = skip_done(side, 0); status == CAIRN_OK && !diff->ended && i < side->items;
	     i = skip_done(side, i + 1))
		status = report_single(diff, side, &side->item[i]);
	return status;
}

static void sort_items(struct gsym_diff_side *side, int (*compare)(const void *, const void *))
{
	if (side->items > 1)
		qsort(side->item, side->items, sizeof(*side->item), compare);
}

static enum cairn_status sort_and_pair(struct gsym_diff *diff,
                                       int (*sort)(const void *left, const void *right),
                                       int (*compare)(const void *left, const void *right))
{
	sort_items(&diff->first, sort);
	sort_items(&diff->second, sort);
	return pair_equal(diff, compare);
}

enum cairn_status gsym_diff_group(struct gsym_diff *diff)
{
	enum cairn_status status = sort_and_pair(diff, sort_by_size, compare_sizes_and_names);

	if (status == CAIRN_OK)
		status = sort_and_pair(diff, sort_by_name, compare_item_names);
	if (status == CAIRN_OK)
		status = sort_and_pair(diff, sort_by_size, compare_sizes);
	if (status == CAIRN_OK)
		status = report_singles(diff, &diff->first);
	return status == CAIRN_OK ? report_singles(diff, &diff->second) : status;
}
