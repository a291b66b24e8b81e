/* SPDX-License-Identifier: MIT */
/* Copies functions into arrays, and finds the one that holds an address. */
#include "kept_functions.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "base/order.h"
#include "base/range.h"

#include <stdlib.h>
#include <string.h>

/* Memory for `need` items of an array. */
static bool make_room(struct kept_functions *kept, void *array, size_t *room, size_t need,
                      size_t size)
{
	if (need <= *room)
		return true;
	if (need > UINT32_MAX)
		return false;
	return kept->grow ? kept->grow(kept->context, array, room, need, size)
	                  : array_grow(array, room, need, size);
}

/* Numbers of files mean the same as long as a reader has not read another table. */
static bool keep_files(struct kept_functions *kept, const struct function *function)
{
	if (function->row_count == 0 && function->inline_count == 0)
		return true;
	if (kept->last_files == function->files && kept->last_set == function->file_set &&
	    kept->last_count == function->file_count)
		return true;
	if (!make_room(kept, &kept->file, &kept->file_room, kept->files + function->file_count,
	               sizeof(*kept->file)))
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

static bool has_columns(const struct function *function)
{
	for (size_t i = 0; i < function->row_count; i++)
		if (function->rows[i].column != 0)
			return true;
	return false;
}

/* A row that states what the last one states is none of its own. */
static bool repeats_row(const struct kept_functions *kept, const struct kept_function *made,
                        const struct function_row *row)
{
	if (kept->rows == made->row)
		return false;
	const struct kept_row *last = &kept->row[kept->rows - 1];
	return last->line == row->line && last->file == row->file &&
	       (made->columns == 0 || kept->column[kept->columns - 1] == row->column);
}

static bool keep_rows(struct kept_functions *kept, const struct function *function,
                      struct kept_function *made)
{
	const bool columns = has_columns(function);

	if (!make_room(kept, &kept->row, &kept->row_room, kept->rows + function->row_count,
	               sizeof(*kept->row)) ||
	    (columns && !make_room(kept, &kept->column, &kept->column_room,
	                           kept->columns + function->row_count, sizeof(*kept->column))))
		return false;
	made->row = (uint32_t)kept->rows;
	made->columns = columns ? (uint32_t)kept->columns + 1 : 0;
	for (size_t i = 0; i < function->row_count; i++) {
		const struct function_row *row = &function->rows[i];
		const uint64_t offset = row->va - function->start;
		if (offset > UINT32_MAX)
			break;
		if (repeats_row(kept, made, row))
			continue;
		kept->row[kept->rows++] =
			(struct kept_row){ (uint32_t)offset, row->file, row->line };
		if (columns)
			kept->column[kept->columns++] = row->column;
	}
	made->rows = (uint32_t)kept->rows - made->row;
	return true;
}

static bool keep_calls(struct kept_functions *kept, const struct function *function)
{
	size_t ranges = 0;

	for (size_t i = 0; i < function->inline_count; i++)
		if (function->inlines[i].range + function->inlines[i].ranges > ranges)
			ranges = function->inlines[i].range + function->inlines[i].ranges;
	if (!make_room(kept, &kept->call, &kept->call_room, kept->calls + function->inline_count,
	               sizeof(*kept->call)) ||
	    !make_room(kept, &kept->range, &kept->range_room, kept->ranges + ranges,
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
		                      .order = (uint32_t)kept->count,
		                      .call = (uint32_t)kept->calls,
		                      .calls = (uint32_t)function->inline_count,
		                      .first_range = (uint32_t)kept->ranges };

	if (!make_room(kept, &kept->function, &kept->room, kept->count + 1, sizeof(made)) ||
	    !keep_files(kept, function) || !keep_rows(kept, function, &made) ||
	    !keep_calls(kept, function))
		return CAIRN_NO_MEMORY;
	made.first_file = (uint32_t)kept->last_first;
	kept->function[kept->count++] = made;
	return CAIRN_OK;
}

struct function_sink kept_functions_sink(struct kept_functions *kept)
{
	return (struct function_sink){ keep_function, kept };
}

void kept_functions_clear(struct kept_functions *kept)
{
	kept->count = kept->sorted = kept->rows = kept->columns = kept->calls = kept->ranges =
		kept->files = 0;
	kept->last_files = NULL;
	kept->last_count = 0;
}

void kept_functions_close(struct kept_functions *kept)
{
	free(kept->function);
	free(kept->row);
	free(kept->column);
	free(kept->call);
	free(kept->range);
	free(kept->file);
	*kept = (struct kept_functions){ .grow = kept->grow, .context = kept->context };
}

static void shrink_array(void *array, size_t *room, size_t count, size_t size)
{
	void *held, *less;

	memcpy(&held, array, sizeof(held)); /* which has a type of its own */
	less = count > 0 && count < *room ? realloc(held, count * size) : NULL;
	if (!less)
		return;
	memcpy(array, &less, sizeof(less));
	*room = count;
}

void kept_functions_shrink(struct kept_functions *kept)
{
	shrink_array(&kept->function, &kept->room, kept->count, sizeof(*kept->function));
	shrink_array(&kept->row, &kept->row_room, kept->rows, sizeof(*kept->row));
	shrink_array(&kept->column, &kept->column_room, kept->columns, sizeof(*kept->column));
	shrink_array(&kept->call, &kept->call_room, kept->calls, sizeof(*kept->call));
	shrink_array(&kept->range, &kept->range_room, kept->ranges, sizeof(*kept->range));
	shrink_array(&kept->file, &kept->file_room, kept->files, sizeof(*kept->file));
}

static int compare_functions(const void *left, const void *right)
{
	const struct kept_function *a = left, *b = right;

	return ORDER_BY(a->range.low, b->range.low,
	                ORDER_BY(b->range.high, a->range.high, ORDER_BY(b->order, a->order, 0)));
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
	return SORTED_BELOW(kept->function, kept->count, range.low, va);
}

/* Does `a` name addresses, of these two that have one range? */
static bool is_better(const struct kept_function *a, const struct kept_function *b,
                      const struct function_order *order)
{
	const struct function_rank left = { a->name, a->source, a->rows > 0 };
	const struct function_rank right = { b->name, b->source, b->rows > 0 };
	const int result = order ? function_order_compare(order, a->range.low, &left, &right) : 0;

	return result != 0 ? result < 0 : a->order < b->order;
}

const struct kept_function *kept_functions_at(const struct kept_functions *kept, uint64_t va,
                                              const struct function_order *order)
{
	const struct kept_function *best = NULL;
	size_t i = va == UINT64_MAX ? kept->count : find_first(kept, va + 1);

	for (; i > 0 && kept->function[i - 1].reach > va; i--) {
		const struct kept_function *one = &kept->function[i - 1];
		if (one->range.high <= va)
			continue;
		if (best && !kept_function_has_same_range(one, best))
			break;
		if (!best ||
		    (kept->last_counts ? one->order > best->order : is_better(one, best, order)))
			best = one;
	}
	return best;
}

const struct kept_function *kept_functions_reaching(const struct kept_functions *kept, uint64_t va)
{
	const struct kept_function *found = kept_functions_at(kept, va, NULL);
	const size_t behind = va == UINT64_MAX ? kept->count : find_first(kept, va + 1);
	const struct kept_function *last = behind > 0 ? &kept->function[behind - 1] : NULL;
	const bool sizeless = last && last->range.high == last->range.low;

	return sizeless && (!found || found->range.low < last->range.low) ? last : found;
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
