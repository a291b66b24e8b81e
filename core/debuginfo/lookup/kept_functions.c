/* SPDX-License-Identifier: MIT */
/* Copies functions into arrays, and finds the chain of calls at an address in them. */
#include "kept_functions.h"

#include "base/array_grow.h"
#include "base/range.h"

#include <stdlib.h>
#include <string.h>

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

/* Numbers of files mean the same as long as a reader has not read another table. */
static bool keep_files(struct kept_functions *kept, const struct function *function)
{
	if (function->row_count == 0 && function->inline_count == 0)
		return true;
	if (kept->last_files == function->files && kept->last_set == function->file_set &&
	    kept->last_count == function->file_count)
		return true;
	if (!budget_room(kept->budget, &kept->file, &kept->file_room,
	                 kept->files + function->file_count, sizeof(*kept->file)))
		return false;
	if (function->file_count > 0)
		memcpy(kept->file + kept->files, function->files,
		       function->file_count * sizeof(*function->files));
	kept->last_files = function->files;
	kept->last_set = function->file_set;
	kept->last_first = kept->files;
	kept->last_count = function->file_count;
	kept->files += function->file_count;
	return true;
}

static bool keep_rows(struct kept_functions *kept, const struct function *function)
{
	if (!budget_room(kept->budget, &kept->row, &kept->row_room,
	                 kept->rows + function->row_count, sizeof(*kept->row)))
		return false;
	if (function->row_count > 0)
		memcpy(kept->row + kept->rows, function->rows,
		       function->row_count * sizeof(*function->rows));
	kept->rows += function->row_count;
	return true;
}

static bool keep_calls(struct kept_functions *kept, const struct function *function)
{
	size_t ranges = 0;

	for (size_t i = 0; i < function->inline_count; i++)
		if (function->inlines[i].range + function->inlines[i].ranges > ranges)
			ranges = function->inlines[i].range + function->inlines[i].ranges;
	if (!budget_room(kept->budget, &kept->call, &kept->call_room,
	                 kept->calls + function->inline_count, sizeof(*kept->call)) ||
	    !budget_room(kept->budget, &kept->range, &kept->range_room, kept->ranges + ranges,
	                 sizeof(*kept->range)))
		return false;
	if (function->inline_count > 0)
		memcpy(kept->call + kept->calls, function->inlines,
		       function->inline_count * sizeof(*function->inlines));
	if (ranges > 0)
		memcpy(kept->range + kept->ranges, function->range, ranges * sizeof(*kept->range));
	kept->calls += function->inline_count;
	kept->ranges += ranges;
	return true;
}

static enum cairn_status keep_function(void *context, const struct function *function)
{
	struct kept_functions *kept = context;
	struct kept_function made = { .range = { function->start,
		                                 function->start + function->size },
		                      .name = function->name,
		                      .source = function->source,
		                      .order = kept->count,
		                      .row = kept->rows,
		                      .rows = function->row_count,
		                      .call = kept->calls,
		                      .calls = function->inline_count,
		                      .first_range = kept->ranges };

	if (!budget_room(kept->budget, &kept->function, &kept->room, kept->count + 1,
	                 sizeof(made)) ||
	    !keep_files(kept, function) || !keep_rows(kept, function) ||
	    !keep_calls(kept, function))
		return CAIRN_NO_MEMORY;
	made.first_file = kept->last_first;
	kept->function[kept->count++] = made;
	return CAIRN_OK;
}

struct function_sink kept_functions_sink(struct kept_functions *kept)
{
	return (struct function_sink){ keep_function, kept };
}

void kept_functions_clear(struct kept_functions *kept)
{
	kept->count = kept->sorted = kept->rows = kept->calls = kept->ranges = kept->files = 0;
	kept->last_files = NULL;
	kept->last_count = 0;
}

void kept_functions_close(struct kept_functions *kept)
{
	free(kept->function);
	free(kept->row);
	free(kept->call);
	free(kept->range);
	free(kept->file);
	*kept = (struct kept_functions){ .budget = kept->budget };
}

static int compare_functions(const void *left, const void *right)
{
	const struct kept_function *a = left, *b = right;

	if (a->range.low != b->range.low)
		return a->range.low < b->range.low ? -1 : 1;
	if (a->range.high != b->range.high)
		return a->range.high > b->range.high ? -1 : 1;
	return a->order > b->order ? -1 : a->order < b->order;
}

/* Moves the functions of `fresh`, which are sorted, to their places among those before; returns the first that moved. */
static size_t merge_functions(struct kept_functions *kept, const struct kept_function *fresh,
                              size_t count)
{
	struct kept_function *function = kept->function;
	size_t old = kept->count - count, to = kept->count;

	while (count > 0) {
		const bool take_old =
			old > 0 && compare_functions(&function[old - 1], &fresh[count - 1]) > 0;
		function[--to] = take_old ? function[--old] : fresh[--count];
	}
	return old;
}

/* Sorts only the functions that came since the last time, so that units may be added one by one. */
static size_t sort_fresh(struct kept_functions *kept)
{
	const size_t count = kept->count - kept->sorted;
	struct kept_function *fresh = kept->function + kept->sorted;
	struct kept_function *copy;

	if (count > 1)
		qsort(fresh, count, sizeof(*fresh), compare_functions);
	if (kept->sorted == 0 || compare_functions(fresh - 1, fresh) < 0)
		return kept->sorted;
	copy = malloc(count * sizeof(*copy));
	if (!copy) {
		qsort(kept->function, kept->count, sizeof(*fresh), compare_functions);
		return 0;
	}
	memcpy(copy, fresh, count * sizeof(*copy));
	const size_t first = merge_functions(kept, copy, count);
	free(copy);
	return first;
}

void kept_functions_sort(struct kept_functions *kept)
{
	size_t i = kept->count;

	if (kept->sorted < kept->count)
		i = sort_fresh(kept);
	kept->sorted = kept->count;
	uint64_t reach = i > 0 ? kept->function[i - 1].reach : 0;
	for (; i < kept->count; i++) {
		const uint64_t high = kept->function[i].range.high;
		reach = high > reach ? high : reach;
		kept->function[i].reach = reach;
	}
}

/* The first function that begins at or after `va`. */
static size_t find_first(const struct kept_functions *kept, uint64_t va)
{
	size_t low = 0, high = kept->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (kept->function[middle].range.low < va)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does a GSYM file keep `a` of these two, which have one range?  writers/gsym/order.c decides in the same order. */
static bool is_better(const struct kept_function *a, const struct kept_function *b,
                      const struct aliases *aliases)
{
	if (a->source != b->source)
		return a->source < b->source;
	if ((a->name.size == 0) != (b->name.size == 0))
		return b->name.size == 0;
	const int names = aliases_compare(aliases, a->range.low, a->name, b->name);
	if (names != 0)
		return names < 0;
	return (a->rows > 0) != (b->rows > 0) ? a->rows > 0 : a->order < b->order;
}

static bool has_same_range(const struct kept_function *a, const struct kept_function *b)
{
	return a->range.low == b->range.low && a->range.high == b->range.high;
}

const struct kept_function *kept_functions_at(const struct kept_functions *kept, uint64_t va,
                                              const struct aliases *aliases)
{
	const struct kept_function *best = NULL;
	size_t i = va == UINT64_MAX ? kept->count : find_first(kept, va + 1);

	for (; i > 0 && kept->function[i - 1].reach > va; i--) {
		const struct kept_function *one = &kept->function[i - 1];
		if (one->range.high <= va)
			continue;
		if (best && !has_same_range(one, best))
			break;
		if (!best || is_better(one, best, aliases))
			best = one;
	}
	return best;
}

static bool holds_address(const struct cairn_range *range, size_t count, uint64_t va)
{
	for (size_t i = 0; i < count; i++)
		if (va - range[i].low < range[i].high - range[i].low)
			return true;
	return false;
}

/* The calls around the address, the outermost first; of siblings that overlap the first counts. */
static size_t find_calls(const struct kept_functions *kept, const struct kept_function *function,
                         uint64_t va, const struct function_inline *found[KEPT_LOCATIONS_MAX])
{
	const struct function_inline *call = kept->call + function->call;
	size_t depth = 0;

	for (size_t i = 0; i < function->calls && depth < KEPT_LOCATIONS_MAX - 1; i++) {
		if (call[i].depth <= depth)
			break;
		if (call[i].depth == depth + 1 &&
		    holds_address(kept->range + function->first_range + call[i].range,
		                  call[i].ranges, va))
			found[depth++] = &call[i];
	}
	return depth;
}

/* Up to the last row at or before the address. */
static size_t count_rows(const struct function_row *row, size_t count, uint64_t va)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (row[middle].va <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A place in a source. */
struct place {
	uint32_t file, line, column;
};

static void set_source_place(const struct kept_functions *kept,
                             const struct kept_function *function, struct place place,
                             struct cairn_location *location)
{
	const struct function_file *file = kept->file + function->first_file + place.file;

	location->line = place.line;
	location->column = place.line ? place.column : 0;
	location->directory = place.file ? file->directory : none;
	location->file = place.file ? file->name : none;
}

size_t kept_functions_locate(const struct kept_functions *kept,
                             const struct kept_function *function, uint64_t va,
                             struct cairn_location locations[KEPT_LOCATIONS_MAX])
{
	const struct function_inline *call[KEPT_LOCATIONS_MAX];
	const struct function_row *row = kept->row + function->row;
	const size_t rows = count_rows(row, function->rows, va);
	size_t depth = find_calls(kept, function, va, call), count = 0;
	struct place place = { 0, 0, 0 };

	if (rows > 0)
		place = (struct place){ row[rows - 1].file, row[rows - 1].line,
			                row[rows - 1].column };
	for (; depth > 0; depth--, count++) {
		const struct function_inline *inner = call[depth - 1];
		const uint64_t start = kept->range[function->first_range + inner->range].low;
		locations[count] = (struct cairn_location){ .function = inner->name,
			                                    .start = start,
			                                    .offset = va - start,
			                                    .inlined = true };
		set_source_place(kept, function, place, &locations[count]);
		place = (struct place){ inner->call_file, inner->call_line, inner->call_column };
	}
	locations[count] = (struct cairn_location){ .function = function->name,
		                                    .start = function->range.low,
		                                    .offset = va - function->range.low };
	set_source_place(kept, function, place, &locations[count]);
	return count + 1;
}

bool kept_functions_list(const struct kept_functions *kept, struct cairn_range near,
                         struct cairn_range **range, size_t *count, size_t *room)
{
	size_t i = find_first(kept, near.high);

	for (; i > 0 && kept->function[i - 1].reach > near.low; i--) {
		if (!range_touches(kept->function[i - 1].range, &near, 1))
			continue;
		if (!array_grow(range, room, *count + 1, sizeof(**range)))
			return false;
		(*range)[(*count)++] = kept->function[i - 1].range;
	}
	return true;
}
