/* SPDX-License-Identifier: MIT */
/* What a kept function has at an address: its line and the calls inlined there; and the functions as readers give them. */
#include "kept_functions.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "base/cleanup.h"
#include "base/range.h"

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

static bool holds_address(const struct cairn_range *range, size_t count, uint64_t va)
{
	for (size_t i = 0; i < count; i++)
		if (va - range[i].low < range[i].high - range[i].low)
			return true;
	return false;
}

/* The calls around the address, the outermost first; of siblings that overlap the first counts. */
static uint32_t find_calls(const struct kept_functions *kept, const struct kept_function *function,
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

/* Up to the last row at or before the address. */
static size_t count_rows(const struct kept_row *row, size_t count, uint64_t offset)
{
	struct bisection search = bisect_begin(count);

	while (search.low < search.high)
		bisect_narrow(&search, row[search.middle].offset <= offset);
	return search.low;
}

void kept_lookup_place(struct kept_lookup *lookup, const struct kept_functions *kept,
                       const struct kept_function *function, uint64_t va)
{
	const struct kept_row *row = function->rows > 0 ? kept->row + function->row : NULL;
	const size_t rows = count_rows(row, function->rows, va - function->range.low);

	lookup->kept = kept;
	lookup->function = function;
	lookup->va = va;
	lookup->file = rows > 0 ? row[rows - 1].file : 0;
	lookup->line = rows > 0 ? row[rows - 1].line : 0;
	lookup->column = rows > 0 ? kept_function_column(kept, function, rows - 1) : 0;
	lookup->depth = 0;
}

void kept_lookup_begin(struct kept_lookup *lookup, const struct kept_functions *kept,
                       const struct kept_function *function, uint64_t va)
{
	kept_lookup_place(lookup, kept, function, va);
	lookup->depth = find_calls(kept, function, va, lookup->call);
}

static void set_source_place(const struct kept_lookup *lookup, struct cairn_location *location)
{
	location->line = lookup->line;
	location->column = lookup->column;
	location->directory = none;
	location->file = none;
	if (lookup->file == 0)
		return;
	const struct function_file *file =
		&lookup->kept->file[lookup->function->first_file + lookup->file];
	location->directory = file->directory;
	location->file = file->name;
}

bool kept_lookup_next(struct kept_lookup *lookup, struct cairn_location *location)
{
	const struct kept_function *function = lookup->function;
	const struct function_inline *inner = NULL;

	if (lookup->depth == KEPT_LOCATIONS_MAX)
		return false;
	if (lookup->depth > 0)
		inner = lookup->call[lookup->depth - 1];
	*location = (struct cairn_location){ .function = inner ? inner->name : function->name,
		                             .start = function->range.low,
		                             .inlined = inner != NULL };
	set_source_place(lookup, location);
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

size_t kept_functions_locate(const struct kept_functions *kept,
                             const struct kept_function *function, uint64_t va,
                             struct cairn_location locations[KEPT_LOCATIONS_MAX])
{
	struct kept_lookup lookup;
	size_t count = 0;

	kept_lookup_begin(&lookup, kept, function, va);
	while (kept_lookup_next(&lookup, &locations[count]))
		count++;
	return count;
}

/* Copies the rows of a function in the form that readers give. */
static void copy_rows(const struct kept_functions *kept, const struct kept_function *function,
                      struct function_row *row)
{
	const struct kept_row *from = function->rows > 0 ? kept->row + function->row : NULL;

	for (uint32_t i = 0; i < function->rows; i++)
		row[i] = (struct function_row){ .va = function->range.low + from[i].offset,
			                        .file = from[i].file,
			                        .line = from[i].line,
			                        .column = kept_function_column(kept, function, i) };
}

static void free_rows(struct function_row **row)
{
	free(*row);
}

static enum cairn_status give_function(const struct kept_functions *kept,
                                       const struct kept_function *function,
                                       const struct function_row *row,
                                       const struct function_sink *sink)
{
	const bool has_files = kept->files > function->first_file;
	const struct function given = {
		.start = function->range.low,
		.size = function->range.high - function->range.low,
		.name = function->name,
		.source = function->source,
		.files = has_files ? kept->file + function->first_file : NULL,
		.file_count = (uint32_t)(kept->files - function->first_file),
		.rows = row,
		.row_count = function->rows,
		.range = kept->ranges > 0 ? kept->range + function->first_range : NULL,
		.inlines = function->calls > 0 ? kept->call + function->call : NULL,
		.inline_count = function->calls
	};

	return sink->take(sink->context, &given);
}

enum cairn_status kept_functions_give(const struct kept_functions *kept,
                                      const struct function_sink *sink)
{
	WITH_CLEANUP(free_rows) struct function_row *row = NULL;
	enum cairn_status status = CAIRN_OK;
	size_t room = 0;

	for (size_t i = 0; i < kept->count && status == CAIRN_OK; i++) {
		const struct kept_function *one = &kept->function[i];
		if (i + 1 < kept->count && kept_function_has_same_range(one, one + 1))
			continue; /* the first that came is the last of its range */
		if (!array_grow(&row, &room, one->rows, sizeof(*row)))
			return CAIRN_NO_MEMORY;
		copy_rows(kept, one, row);
		status = give_function(kept, one, row, sink);
	}
	return status;
}
