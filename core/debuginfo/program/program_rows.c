/* SPDX-License-Identifier: MIT */
/* Supplies line rows for code that no DIE covers. */
#include "program.h"

#include "program_parts.h"

#include "base/bisect.h"
#include "base/range.h"
#include "debuginfo/functions/function_builder.h"

#include <stdlib.h>

static void fill_index(struct program *program)
{
	for (size_t unit = 0; unit < program->main.units.count; unit++)
		for (size_t i = 0; i < program->places[unit].count; i++)
			program->index[program->index_count++] =
				(struct program_row_range){ .range = program->places[unit].range[i],
				                            .unit = unit };
}

static bool make_index(struct program *program)
{
	size_t count = 0;

	if (program->has_index)
		return true;
	for (size_t i = 0; i < program->main.units.count; i++)
		count += program->places[i].count;
	program->index = calloc(count ? count : 1, sizeof(*program->index));
	if (!program->index)
		return false;
	fill_index(program);
	program_sort_ranges(program->index, count);
	program->has_index = true;
	return true;
}

/* Do rows of the unit, as far as it was read, touch the range? */
static bool has_rows(const struct program_row_ranges *places, struct cairn_range range)
{
	for (size_t i = 0; i < places->count && places->range[i].low < range.high; i++)
		if (places->range[i].high > range.low)
			return true;
	return false;
}

/* The same as below where units are read as they are asked for, so that an index of rows would not stay complete. */
static size_t find_indexed_unit_with_rows(const struct program *program, struct cairn_range range)
{
	struct program_unit_list units;

	(void)!program_find_indexed_units(program, range, &units);
	for (size_t i = 0; i < units.count; i++)
		if (has_rows(&program->places[units.unit[i]], range))
			return units.unit[i];
	return SIZE_MAX;
}

/* The first unit, in their order, with rows at an address of the range; all ones: none. */
static size_t find_unit_with_rows(const struct program *program, struct cairn_range range)
{
	enum { LOOK_BACK = 1024 };
	size_t low = SORTED_BELOW(program->index, program->index_count, range.low, range.high);
	size_t looked = 0, best = SIZE_MAX;

	while (low-- > 0 && program->index[low].reach > range.low && looked++ < LOOK_BACK) {
		const struct program_row_range *place = &program->index[low];
		if (place->range.high > range.low && place->unit < best)
			best = place->unit;
	}
	return best;
}

/*
 * Is most of the unit's code in sequences that nobody asks for?  To pass over one takes half of what reading it does, and those that are asked
 * for are passed over first, too.
 */
static bool is_mostly_unasked(const struct program_row_ranges *places, const struct lines *lines)
{
	enum { PART = 3 };
	uint64_t all = 0, asked = 0;

	for (size_t i = 0; i < places->count; i++) {
		const uint64_t size = places->range[i].high - places->range[i].low;
		all += size;
		if (range_touches(places->range[i], lines->asked, lines->asked_count))
			asked += size;
	}
	return asked < all / PART;
}

static enum cairn_status reload_lines(struct program_reader *reader, size_t unit)
{
	const size_t asked = reader->lines.asked_count;

	if (asked > 0 && !reader->builder.focus &&
	    !is_mostly_unasked(&reader->program->places[unit], &reader->lines))
		reader->lines.asked_count = 0;
	const enum cairn_status status = program_reload_lines(reader, unit);
	reader->lines.asked_count = asked;
	return status;
}

static enum cairn_status load_unit_lines(struct program_reader *reader, size_t unit,
                                         struct lines **lines)
{
	enum cairn_status status = CAIRN_OK;

	*lines = reader->kept_unit == unit ? &reader->kept : &reader->lines;
	if (reader->kept_unit == unit || reader->lines_unit == unit)
		return CAIRN_OK;
	status = reload_lines(reader, unit);
	if (status == CAIRN_OK)
		reader->lines_unit = unit;
	return status;
}

/* The rows of `unit` for a function; NOT_FOUND: it has none. */
static enum cairn_status cut_rows(struct program_reader *reader, size_t unit,
                                  struct function *function)
{
	struct cairn_range range = { function->start, function->start + function->size };
	struct lines_hint hint = { .line = 0 };
	struct lines_cut cut;
	struct lines *lines;
	enum cairn_status status = load_unit_lines(reader, unit, &lines);

	if (status != CAIRN_OK)
		return status;
	if (!lines_clip(lines, range, &hint, &cut))
		return CAIRN_NO_MEMORY;
	if (cut.count == 0)
		return CAIRN_NOT_FOUND;
	function->files = lines->file;
	function->file_set = lines->file_set;
	function->file_count = (uint32_t)lines->files;
	function->rows = cut.row;
	function->statements = lines->every_row;
	function->row_count = cut.count;
	return function_builder_charge(&reader->builder, function) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

bool program_find_rows(struct program *program, struct cairn_range range, size_t *unit)
{
	*unit = SIZE_MAX;
	if (program->code)
		*unit = find_indexed_unit_with_rows(program, range);
	else if (!make_index(program))
		return false;
	else if (range.low < range.high)
		*unit = find_unit_with_rows(program, range);
	return true;
}

enum cairn_status program_rows_of(struct program_reader *reader, size_t unit,
                                  struct function *function)
{
	enum cairn_status status = cut_rows(reader, unit, function);

	return reader->budget.exhausted ? program_end_budget(reader, unit) : status;
}

void program_ask_rows(struct program_reader *reader, const struct cairn_range *range, size_t count)
{
	reader->lines.asked = reader->kept.asked = range;
	reader->lines.asked_count = reader->kept.asked_count = count;
}

enum cairn_status program_rows_at(struct program_reader *reader, struct function *function)
{
	const struct cairn_range range = { function->start, function->start + function->size };
	size_t unit;

	if (!program_find_rows(reader->program, range, &unit))
		return CAIRN_NO_MEMORY;
	return unit == SIZE_MAX ? CAIRN_NOT_FOUND : program_rows_of(reader, unit, function);
}
