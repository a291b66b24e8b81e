/* SPDX-License-Identifier: MIT */
/*
 * Copies functions from a reader into arrays, sorts them, and finds them by address. If many
 * addresses in one function are looked up, an index of its inlined calls can be built. In the
 * index, each call in turn gets those ranges that no earlier call covers, so that the first of
 * several overlapping calls wins. Ranges that are already covered are skipped in one step.
 */
#include "function_table.h"

#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(struct function_table *kept, void *array, size_t *capacity, size_t need,
                    size_t size)
{
	if (need <= *capacity)
		return true;
	if (need > UINT32_MAX)
		return false;
	return kept->grow ? kept->grow(kept->context, array, capacity, need, size)
	                  : array_grow(array, capacity, need, size);
}

/*
 * Store the function's file table. If `file_set` shows that the reader has not loaded another table
 * since the last copy, share that copy.
 */
static bool keep_files(struct function_table *kept, const struct function *function)
{
	if (function->row_count == 0 && function->inline_count == 0)
		return true;
	if (kept->last_files == function->files && kept->last_set == function->file_set &&
	    kept->last_count == function->file_count)
		return true;
	if (!reserve(kept, &kept->file, &kept->file_capacity, kept->files + function->file_count,
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

static bool keep_rows(struct function_table *kept, const struct function *function,
                      struct table_function *made)
{
	bool columns = false;

	for (size_t i = 0; i < function->row_count && !columns; i++)
		columns = function->rows[i].column != 0;
	if (!reserve(kept, &kept->row, &kept->row_capacity, kept->rows + function->row_count,
	             sizeof(*kept->row)) ||
	    (columns && !reserve(kept, &kept->column, &kept->column_capacity,
	                         kept->columns + function->row_count, sizeof(*kept->column))))
		return false;
	made->row = (uint32_t)kept->rows;
	made->columns = columns ? (uint32_t)kept->columns + 1 : 0;
	for (size_t i = 0; i < function->row_count; i++) {
		const struct function_row *row = &function->rows[i];
		const struct kept_row *last =
			kept->rows > made->row ? &kept->row[kept->rows - 1] : NULL;
		const uint64_t offset = row->va - function->start;
		if (offset > UINT32_MAX)
			break;
		if (last && last->line == row->line && last->file == row->file &&
		    (!columns || kept->column[kept->columns - 1] == row->column))
			continue;
		kept->row[kept->rows++] =
			(struct kept_row){ (uint32_t)offset, row->file, row->line };
		if (columns)
			kept->column[kept->columns++] = row->column;
	}
	made->rows = (uint32_t)kept->rows - made->row;
	return true;
}

static bool keep_calls(struct function_table *kept, const struct function *function)
{
	size_t ranges = 0;

	for (size_t i = 0; i < function->inline_count; i++)
		if (function->inlines[i].range + function->inlines[i].ranges > ranges)
			ranges = function->inlines[i].range + function->inlines[i].ranges;
	if (!reserve(kept, &kept->call, &kept->call_capacity, kept->calls + function->inline_count,
	             sizeof(*kept->call)) ||
	    !reserve(kept, &kept->range, &kept->range_capacity, kept->ranges + ranges,
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
	struct function_table *kept = context;
	struct table_function made = { .range = { function->start,
		                                  function->start + function->size },
		                       .name = function->name,
		                       .source = function->source,
		                       .order = (uint32_t)kept->count,
		                       .call = (uint32_t)kept->calls,
		                       .calls = (uint32_t)function->inline_count,
		                       .first_range = (uint32_t)kept->ranges };

	if (!reserve(kept, &kept->function, &kept->capacity, kept->count + 1, sizeof(made)) ||
	    !keep_files(kept, function) || !keep_rows(kept, function, &made) ||
	    !keep_calls(kept, function))
		return CAIRN_NO_MEMORY;
	made.first_file = (uint32_t)kept->last_first;
	kept->function[kept->count++] = made;
	return CAIRN_OK;
}

struct function_sink function_table_sink(struct function_table *kept)
{
	return (struct function_sink){ keep_function, kept };
}

void function_table_clear(struct function_table *kept)
{
	kept->count = kept->sorted = kept->rows = kept->columns = kept->calls = kept->ranges =
		kept->files = 0;
	kept->last_files = NULL;
	kept->last_count = 0;
}

void function_table_close(struct function_table *kept)
{
	free(kept->function);
	free(kept->row);
	free(kept->column);
	free(kept->call);
	free(kept->range);
	free(kept->file);
	*kept = (struct function_table){ .grow = kept->grow, .context = kept->context };
}

static void shrink_array(void *array, size_t *capacity, size_t count, size_t size)
{
	void *held, *less;

	/* copy the pointer with memcpy(), because its type need not be void * */
	memcpy(&held, array, sizeof(held));
	less = count > 0 && count < *capacity ? realloc(held, count * size) : NULL;
	if (!less)
		return;
	memcpy(array, &less, sizeof(less));
	*capacity = count;
}

void function_table_shrink(struct function_table *kept)
{
	shrink_array(&kept->function, &kept->capacity, kept->count, sizeof(*kept->function));
	shrink_array(&kept->row, &kept->row_capacity, kept->rows, sizeof(*kept->row));
	shrink_array(&kept->column, &kept->column_capacity, kept->columns, sizeof(*kept->column));
	shrink_array(&kept->call, &kept->call_capacity, kept->calls, sizeof(*kept->call));
	shrink_array(&kept->range, &kept->range_capacity, kept->ranges, sizeof(*kept->range));
	shrink_array(&kept->file, &kept->file_capacity, kept->files, sizeof(*kept->file));
}

static int compare_functions(const void *left, const void *right)
{
	const struct table_function *a = left, *b = right;

	return ORDER_BY(a->range.low, b->range.low,
	                ORDER_BY(b->range.high, a->range.high, ORDER_BY(b->order, a->order, 0)));
}

/*
 * Merge the sorted functions `fresh`, which are the last `count` functions, with the functions
 * before them. Returns the index of the first function that moved.
 */
static size_t merge_functions(struct function_table *kept, const struct table_function *fresh,
                              size_t count)
{
	struct table_function *function = kept->function;
	size_t old = kept->count - count, to = kept->count;

	while (count > 0) {
		const bool take_old =
			old > 0 && compare_functions(&function[old - 1], &fresh[count - 1]) > 0;
		function[--to] = take_old ? function[--old] : fresh[--count];
	}
	return old;
}

/*
 * Sort the functions added since the last call and merge them with the others, which makes it cheap
 * to add one unit after another. Returns the index of the first function that moved.
 */
static size_t sort_fresh(struct function_table *kept)
{
	const size_t count = kept->count - kept->sorted;
	struct table_function *fresh = kept->function + kept->sorted;
	struct table_function *copy;

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

void function_table_sort(struct function_table *kept)
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

static size_t find_first(const struct function_table *kept, uint64_t va)
{
	return SORTED_BELOW(kept->function, kept->count, range.low, va);
}

static bool is_better(const struct table_function *a, const struct table_function *b,
                      const struct function_order *order)
{
	const struct function_rank left = { a->name, a->source, a->rows > 0 };
	const struct function_rank right = { b->name, b->source, b->rows > 0 };
	const int result = order ? function_order_compare(order, a->range.low, &left, &right) : 0;

	return result != 0 ? result < 0 : a->order < b->order;
}

const struct table_function *function_table_at(const struct function_table *kept, uint64_t va,
                                               const struct function_order *order)
{
	const struct table_function *best = NULL;
	size_t i = va == UINT64_MAX ? kept->count : find_first(kept, va + 1);

	for (; i > 0 && kept->function[i - 1].reach > va; i--) {
		const struct table_function *one = &kept->function[i - 1];
		if (one->range.high <= va)
			continue;
		if (best && !function_table_has_same_range(one, best))
			break;
		if (!best ||
		    (kept->last_counts ? one->order > best->order : is_better(one, best, order)))
			best = one;
	}
	return best;
}

const struct table_function *function_table_reaching(const struct function_table *kept, uint64_t va)
{
	const struct table_function *found = function_table_at(kept, va, NULL);
	const size_t behind = va == UINT64_MAX ? kept->count : find_first(kept, va + 1);
	const struct table_function *last = behind > 0 ? &kept->function[behind - 1] : NULL;
	const bool sizeless = last && last->range.high == last->range.low;

	return sizeless && (!found || found->range.low < last->range.low) ? last : found;
}

bool function_table_list(const struct function_table *kept, struct cairn_range near,
                         struct cairn_range **range, size_t *count, size_t *capacity)
{
	size_t i = find_first(kept, near.high);

	for (; i > 0 && kept->function[i - 1].reach > near.low; i--) {
		if (!range_touches(kept->function[i - 1].range, &near, 1))
			continue;
		if (!array_grow(range, capacity, *count + 1, sizeof(**range)))
			return false;
		(*range)[(*count)++] = kept->function[i - 1].range;
	}
	return true;
}

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

static bool holds_address(const struct cairn_range *range, size_t count, uint64_t va)
{
	for (size_t i = 0; i < count; i++)
		if (va - range[i].low < range[i].high - range[i].low)
			return true;
	return false;
}

/*
 * Find the inlined calls that contain `va`, outermost first. If siblings overlap, the first one
 * wins.
 */
static uint32_t find_calls(const struct function_table *kept, const struct table_function *function,
                           uint64_t va, const struct function_inline *found[KEPT_LOCATIONS_MAX - 1])
{
	const struct function_inline *call =
		function->calls > 0 ? kept->call + function->call : NULL;
	uint32_t depth = 0;

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

/* Begin a lookup that returns only the function, without its inlined calls. */
static void find_place(struct kept_lookup *lookup, const struct function_table *kept,
                       const struct table_function *function, uint64_t va)
{
	const struct kept_row *row = function->rows > 0 ? kept->row + function->row : NULL;
	struct bisection search = bisect_begin(function->rows);

	while (search.low < search.high)
		bisect_narrow(&search, row[search.middle].offset <= va - function->range.low);
	lookup->kept = kept;
	lookup->function = function;
	lookup->va = va;
	lookup->file = search.low > 0 ? row[search.low - 1].file : 0;
	lookup->line = search.low > 0 ? row[search.low - 1].line : 0;
	lookup->column = search.low > 0 ? function_table_column(kept, function, search.low - 1) : 0;
	lookup->depth = 0;
}

void kept_lookup_begin(struct kept_lookup *lookup, const struct function_table *kept,
                       const struct table_function *function, uint64_t va)
{
	find_place(lookup, kept, function, va);
	lookup->depth = find_calls(kept, function, va, lookup->call);
}

bool kept_lookup_next(struct kept_lookup *lookup, struct cairn_location *location)
{
	const struct table_function *function = lookup->function;
	const struct function_inline *inner = NULL;

	if (lookup->depth == KEPT_LOCATIONS_MAX)
		return false;
	if (lookup->depth > 0)
		inner = lookup->call[lookup->depth - 1];
	*location = (struct cairn_location){ .function = inner ? inner->name : function->name,
		                             .directory = none,
		                             .file = none,
		                             .line = lookup->line,
		                             .column = lookup->column,
		                             .start = function->range.low,
		                             .inlined = inner != NULL };
	if (lookup->file != 0) {
		const struct function_file *file =
			&lookup->kept->file[function->first_file + lookup->file];
		location->directory = file->directory;
		location->file = file->name;
	}
	lookup->depth = inner ? lookup->depth - 1 : KEPT_LOCATIONS_MAX;
	if (inner) {
		location->start = lookup->kept->range[function->first_range + inner->range].low;
		lookup->file = inner->call_file;
		lookup->line = inner->call_line;
		lookup->column = inner->call_column;
	}
	location->offset = lookup->va - location->start;
	location->size = inner ? 0 : range_location_size(range_size(function->range));
	return true;
}

size_t function_table_locate(const struct function_table *kept,
                             const struct table_function *function, uint64_t va,
                             struct cairn_location locations[KEPT_LOCATIONS_MAX])
{
	struct kept_lookup lookup;
	size_t count = 0;

	kept_lookup_begin(&lookup, kept, function, va);
	while (kept_lookup_next(&lookup, &locations[count]))
		count++;
	return count;
}

static void free_rows(struct function_row **row)
{
	free(*row);
}

enum cairn_status function_table_give(const struct function_table *kept,
                                      const struct function_sink *sink)
{
	WITH_CLEANUP(free_rows) struct function_row *row = NULL;
	enum cairn_status status = CAIRN_OK;
	size_t capacity = 0;

	for (size_t i = 0; i < kept->count && status == CAIRN_OK; i++) {
		const struct table_function *one = &kept->function[i];
		/*
		 * functions with equal ranges are sorted by descending `order`, so the last of them
		 * was added first
		 */
		if (i + 1 < kept->count && function_table_has_same_range(one, one + 1))
			continue;
		if (!array_grow(&row, &capacity, one->rows, sizeof(*row)))
			return CAIRN_NO_MEMORY;
		for (uint32_t k = 0; k < one->rows; k++) {
			const struct kept_row *from = &kept->row[one->row + k];
			row[k] = (struct function_row){ .va = one->range.low + from->offset,
				                        .file = from->file,
				                        .line = from->line,
				                        .column = function_table_column(kept, one,
				                                                        k) };
		}
		const bool has_files = kept->files > one->first_file;
		const struct function given = {
			.start = one->range.low,
			.size = one->range.high - one->range.low,
			.name = one->name,
			.source = one->source,
			.files = has_files ? kept->file + one->first_file : NULL,
			.file_count = (uint32_t)(kept->files - one->first_file),
			.rows = row,
			.row_count = one->rows,
			.range = kept->ranges > 0 ? kept->range + one->first_range : NULL,
			.inlines = one->calls > 0 ? kept->call + one->call : NULL,
			.inline_count = one->calls
		};
		status = sink->take(sink->context, &given);
	}
	return status;
}

static int compare_edges(const void *a, const void *b)
{
	const struct call_edge *x = a, *y = b;

	return ORDER_BY(x->around, y->around, ORDER_BY(x->va, y->va, 0));
}

/*
 * Return the number of edges that are sorted up to and including `va` in the call `around`. Edges
 * are sorted by the number of the call that contains them, then by address.
 */
static size_t count_edges(const struct call_index *index, uint32_t around, uint64_t va)
{
	const struct call_edge wanted = { .va = va, .around = around };
	struct bisection search = bisect_begin(index->edges);

	while (search.low < search.high)
		bisect_narrow(&search, compare_edges(&index->edge[search.middle], &wanted) <= 0);
	return search.low;
}

static uint32_t find_unowned(struct call_edge *edge, uint32_t at)
{
	while (edge[at].unowned != at) {
		edge[at].unowned = edge[edge[at].unowned].unowned;
		at = edge[at].unowned;
	}
	return at;
}

static void take_range(struct call_index *index, uint32_t call, struct cairn_range range)
{
	const uint32_t around = index->around[call - 1];
	const size_t end = count_edges(index, around, range.high) - 1;
	uint32_t at = (uint32_t)count_edges(index, around, range.low) - 1;

	while ((at = find_unowned(index->edge, at)) < end) {
		index->edge[at].call = call;
		index->edge[at].unowned = at + 1;
	}
}

bool call_index_make(struct call_index *index, const struct function_table *kept,
                     const struct table_function *function)
{
	const struct function_inline *call = kept->call + function->call;
	const struct cairn_range *range = kept->range + function->first_range;
	size_t edges = 0, distinct = 0;

	if (!array_grow(&index->around, &index->around_capacity, function->calls,
	                sizeof(*index->around)))
		return false;
	function_find_around(call, function->calls, index->around);
	for (uint32_t i = 0; i < function->calls; i++) {
		const struct cairn_range *own = range + call[i].range;
		const size_t need = edges + 2 * (size_t)call[i].ranges;
		if (need > UINT32_MAX ||
		    !array_grow(&index->edge, &index->edge_capacity, need, sizeof(*index->edge)))
			return false;
		for (uint32_t j = 0; j < call[i].ranges; j++) {
			index->edge[edges++] =
				(struct call_edge){ .va = own[j].low, .around = index->around[i] };
			index->edge[edges++] =
				(struct call_edge){ .va = own[j].high, .around = index->around[i] };
		}
	}
	if (edges > 0)
		qsort(index->edge, edges, sizeof(*index->edge), compare_edges);
	for (size_t i = 0; i < edges; i++) {
		if (distinct > 0 && compare_edges(&index->edge[distinct - 1], &index->edge[i]) == 0)
			continue;
		index->edge[distinct] = index->edge[i];
		index->edge[distinct].unowned = (uint32_t)distinct;
		distinct++;
	}
	index->edges = distinct;
	for (uint32_t i = 0; i < function->calls; i++)
		for (uint32_t j = 0; j < call[i].ranges; j++)
			take_range(index, i + 1, range[call[i].range + j]);
	return true;
}

void call_index_free(struct call_index *index)
{
	free(index->edge);
	free(index->around);
}

/* Return the 1-based index of the call inlined directly into `around` at `va`, or 0. */
static uint32_t find_call(const struct call_index *index, uint32_t around, uint64_t va)
{
	const size_t count = count_edges(index, around, va);

	if (count == 0 || index->edge[count - 1].around != around)
		return 0;
	return index->edge[count - 1].call;
}

void kept_lookup_begin_by(struct kept_lookup *lookup, const struct call_index *index,
                          const struct function_table *kept, const struct table_function *function,
                          uint64_t va)
{
	uint32_t call = 0;

	find_place(lookup, kept, function, va);
	while (lookup->depth < KEPT_LOCATIONS_MAX - 1 && (call = find_call(index, call, va)) != 0)
		lookup->call[lookup->depth++] = kept->call + function->call + call - 1;
}
