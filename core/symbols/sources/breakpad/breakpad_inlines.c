/* SPDX-License-Identifier: MIT */
/*
 * The inlined calls of one function.  A record of depth d is in the last one of depth d - 1, so
 * that records make a tree; ranges are cut to those of the call around them, for producers repeat
 * all records of a function for each of its parts.
 */
#include "breakpad_parts.h"

#include "base/bisect.h"
#include "base/range.h"

#include <stdlib.h>

enum {
	ROWS_TRIED = 32, /* to find the file that a call is in */
};

bool breakpad_inlines_has_place(const struct breakpad_inlines *in, uint32_t depth)
{
	return depth == 0 || (depth - 1 < in->depths && in->last[depth - 1] != 0);
}

bool breakpad_inlines_add(struct breakpad_inlines *in, const struct breakpad_record *record)
{
	uint32_t depth = record->depth;

	if (in->count >= UINT32_MAX - 1 ||
	    !array_grow(&in->call, &in->room, in->count + 1, sizeof(*in->call)) ||
	    !array_grow(&in->last, &in->last_room, depth + 1, sizeof(*in->last)))
		return false;
	uint32_t parent = depth ? in->last[depth - 1] : 0;
	in->call[in->count++] = (struct breakpad_call){ .depth = depth,
		                                        .line = record->line,
		                                        .file = record->file,
		                                        .origin = record->origin,
		                                        .ranges = record->ranges,
		                                        .parent = parent };
	uint32_t number = (uint32_t)in->count;
	uint32_t *last = parent ? &in->call[parent - 1].last_child : &in->last_outer;
	if (*last)
		in->call[*last - 1].next = number;
	else if (parent)
		in->call[parent - 1].child = number;
	*last = number;
	in->last[depth] = number;
	if (depth == in->depths)
		in->depths++;
	return true;
}

/* Reads a record's ranges; false when memory is short. */
static bool read_own_ranges(struct breakpad_inlines *in, struct cairn_bytes text, uint64_t base)
{
	struct cairn_range range;

	while (breakpad_next_range(&text, &range)) {
		if (range.high > UINT64_MAX - base)
			continue;
		range = (struct cairn_range){ range.low + base, range.high + base };
		if (!nested_ranges_read(&in->ranges, range))
			return false;
	}
	return true;
}

static bool has_too_many_ranges(const struct breakpad_inlines *in)
{
	return in->spare.over && in->ranges.count > in->told + 1;
}

/* What is more than the file has, and the function itself, is drawn from an allowance; false when memory is short. */
static bool cut_ranges(struct breakpad_inlines *in, const struct nested_level *outer,
                       struct nested_level *level)
{
	const size_t free_count = in->ranges.count > in->told + 1 ? in->ranges.count : in->told + 1;
	const uint64_t left = in->spare.over ? 0 : in->spare.left;
	const size_t limit =
		left < SIZE_MAX - free_count - 1 ? free_count + 1 + (size_t)left : SIZE_MAX;

	if (!has_too_many_ranges(in) && !nested_ranges_cut(&in->ranges, outer, limit, level))
		return false;
	if (in->ranges.count > free_count)
		(void)allowance_draw(&in->spare, in->ranges.count - free_count);
	return true;
}

/* The file of a row in the ranges, among the first few; 0 for none. */
static uint32_t file_of_rows(const struct breakpad_lines *lines, const struct cairn_range *range,
                             size_t count)
{
	unsigned tried = 0;

	for (size_t i = 0; i < count && tried < ROWS_TRIED; i++) {
		struct bisection search = bisect_begin(lines->rows);
		while (search.low < search.high)
			bisect_narrow(&search, lines->row[search.middle].va <= range[i].low);
		for (size_t row = search.low ? search.low - 1 : 0; row < lines->rows; row++) {
			if (lines->row[row].va >= range[i].high || tried++ == ROWS_TRIED)
				break;
			if (lines->row[row].file != 0)
				return lines->row[row].file;
		}
	}
	return 0;
}

/* The file of the function itself: of its first row outside of all inlined calls. */
static bool find_outer_file(struct breakpad_inlines *in, const struct breakpad_function *function)
{
	const struct breakpad_lines *lines = function->lines;
	uint32_t first = 0;
	size_t at = 0;

	in->ranges.owns = 0;
	for (size_t i = 0; i < in->count; i++)
		if (in->call[i].depth == 0 &&
		    !read_own_ranges(in, in->call[i].ranges, function->base))
			return false;
	const struct cairn_range *own = in->ranges.own;
	const size_t owns = range_merge(in->ranges.own, in->ranges.owns);
	in->outer_file = 0;
	for (size_t i = 0; i < lines->rows && in->outer_file == 0; i++) {
		const struct function_row *row = &lines->row[i];
		while (at < owns && own[at].high <= row->va)
			at++;
		bool inside = at < owns && own[at].low <= row->va;
		first = first ? first : row->file;
		in->outer_file = inside ? 0 : row->file;
	}
	if (in->outer_file == 0)
		in->outer_file = first ? first : function->tables->unknown_file;
	return true;
}

/* Where a call is made, when its record does not give it: the file of the code around it. */
static uint32_t file_around(const struct breakpad_inlines *in, const struct breakpad_call *call,
                            const struct breakpad_function *function)
{
	uint32_t file = 0;

	if (call->parent == 0)
		return in->outer_file;
	const struct breakpad_call *outer = &in->call[call->parent - 1];
	const struct breakpad_origin *origin = breakpad_origin(function->tables, outer->origin);
	if (origin)
		file = (uint32_t)origin->file;
	if (file == 0)
		file = file_of_rows(function->lines, in->ranges.range + outer->level.first,
		                    outer->level.count);
	return file ? file : function->tables->unknown_file;
}

static bool add_inline(struct breakpad_inlines *in, const struct breakpad_call *call,
                       const struct breakpad_function *function)
{
	static const struct cairn_bytes omitted = { (const uint8_t *)"<name omitted>", 14 };
	const struct breakpad_origin *origin = breakpad_origin(function->tables, call->origin);
	uint32_t file = breakpad_file_index(function->tables, call->file);

	return ARRAY_APPEND(in->inlined, in->inlines, in->inline_room,
	                    (struct function_inline){
				    .depth = call->depth + 1,
				    .range = (uint32_t)call->level.first,
				    .ranges = (uint32_t)call->level.count,
				    .call_file = file ? file : file_around(in, call, function),
				    .call_line = call->line,
				    .name = origin && allowance_draw(&in->names, origin->name.size)
	                                            ? origin->name
	                                            : omitted,
			    });
}

/* One call and its ranges; those without any are left out, with all that is in them. */
static bool add_breakpad_call(struct breakpad_inlines *in, struct breakpad_call *call,
                              const struct breakpad_function *function)
{
	static const struct nested_level whole = { 0, 1 };
	const size_t before = in->ranges.count;

	call->level = (struct nested_level){ before, 0 };
	in->ranges.owns = 0;
	if (!read_own_ranges(in, call->ranges, function->base))
		return false;
	in->told += in->ranges.owns;
	if (!cut_ranges(in, call->parent ? &in->call[call->parent - 1].level : &whole,
	                &call->level))
		return false;
	if (has_too_many_ranges(in) || call->depth >= BREAKPAD_LEVELS_MAX) {
		in->cut++;
		in->ranges.count = before;
		call->level.count = 0;
	} else if (call->level.count == 0) {
		in->outside++;
	}
	return call->level.count == 0 || add_inline(in, call, function);
}

/* The next call in pre-order; 0 after the last. */
static uint32_t next_call(const struct breakpad_inlines *in, uint32_t number)
{
	const struct breakpad_call *call = &in->call[number - 1];

	if (call->level.count && call->child)
		return call->child;
	while (call->next == 0 && call->parent)
		call = &in->call[call->parent - 1];
	return call->next;
}

bool breakpad_inlines_order(struct breakpad_inlines *in, const struct breakpad_function *function)
{
	const struct cairn_range whole = { function->low, function->high };

	in->inlines = in->ranges.count = 0;
	if (in->count == 0)
		return true;
	if (!find_outer_file(in, function) || !nested_ranges_add(&in->ranges, whole))
		return false;
	for (uint32_t number = 1; number != 0; number = next_call(in, number))
		if (!add_breakpad_call(in, &in->call[number - 1], function))
			return false;
	return true;
}

void breakpad_inlines_init(struct breakpad_inlines *in, uint64_t file_size)
{
	in->spare = allowance_of(BREAKPAD_CUTS_LEAST, 1, file_size / BREAKPAD_CUTS_BYTES);
	in->names = allowance_of(BREAKPAD_NAMES_LEAST, BREAKPAD_NAMES_TIMES, file_size);
}

void breakpad_inlines_clear(struct breakpad_inlines *in)
{
	in->count = in->depths = in->inlines = in->ranges.count = 0;
	in->told = 0;
	in->last_outer = 0;
}

void breakpad_inlines_finish(struct breakpad_inlines *in)
{
	free(in->call);
	free(in->last);
	nested_ranges_finish(&in->ranges);
	free(in->inlined);
}
