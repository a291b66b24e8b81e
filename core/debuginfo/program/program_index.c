/* SPDX-License-Identifier: MIT */
/*
 * Where the code of all units is: by their first entries, or where only libdw reads these by .debug_aranges.  It is for
 * programs that are asked about many addresses.
 */
#include "program.h"

#include "program_parts.h"

#include "base/bisect.h"
#include "debuginfo/dwarf/die_ranges.h"
#include "formats/dwarf/aranges.h"

#include <stdlib.h>

static bool add_code(struct program *program, struct cairn_range range, size_t unit)
{
	if (range.low >= range.high)
		return true;
	if (!budget_work(&program->budget, 1) ||
	    !budget_room(&program->budget, &program->code, &program->code_room,
	                 program->code_count + 1, sizeof(*program->code)))
		return false;
	program->code[program->code_count++] =
		(struct program_row_range){ .range = range, .unit = unit };
	return true;
}

static bool add_root(struct program *program, const struct dies_unit *root, size_t unit)
{
	struct cairn_range range;

	if (!die_has(&root->root, DIES_RANGES))
		return !die_pc_bounds(root, &root->root, &range) || add_code(program, range, unit);
	if (!die_has_range_list(&root->root))
		return true;
	struct dwarf_ranges ranges = dwarf_open_ranges(&root->file->sections, &root->unit,
	                                               &root->bases, &root->root.at[DIES_RANGES]);
	while (dwarf_next_range(&ranges, &range))
		if (!add_code(program, range, unit))
			return false;
	return true;
}

/* Marks the units whose first entries we do not read. */
static bool add_roots(struct program *program, bool *is_unknown)
{
	struct dies_unit root = { .budget = &program->budget };
	struct cairn_fault fault;
	const char *where;
	bool ok = true;

	for (size_t i = 0; ok && i < program->main.units.count; i++) {
		const struct dwarf_unit *unit = &program->main.units.unit[i];
		if (!program_may_hold_code(unit))
			continue;
		if (program_is_fast_decodable(unit) &&
		    dies_load_root(&root, &program->main, unit, &fault, &where) == CAIRN_OK)
			ok = add_root(program, &root, i);
		else
			is_unknown[i] = true;
	}
	dies_unload(&root);
	return ok && !program->budget.exhausted;
}

static size_t find_unit_number(const struct program *program, uint64_t offset)
{
	return SORTED_BELOW(program->main.units.unit, program->main.units.count, offset, offset);
}

static bool add_aranges(struct program *program, bool *is_unknown)
{
	const size_t count = program->main.units.count;
	struct dwarf_aranges in =
		dwarf_aranges_open(program_aranges(program), program->plain.elf.big);
	struct dwarf_arange range;
	bool *is_named = calloc(count + 1, sizeof(*is_named)), ok = is_named != NULL;

	while (ok && dwarf_aranges_next(&in, &range)) {
		const size_t unit = find_unit_number(program, range.unit);
		if (unit == count || !is_unknown[unit])
			continue;
		is_named[unit] = true;
		ok = add_code(program, (struct cairn_range){ range.low, range.high }, unit);
	}
	/* whatever is asked, it may be there */
	for (size_t i = 0; ok && i < count; i++)
		if (is_unknown[i] && !is_named[i])
			ok = add_code(program, (struct cairn_range){ 0, UINT64_MAX }, i);
	free(is_named);
	return ok;
}

bool program_index_units(struct program *program)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	program_drop_unit_list(program);
	program->main.missed = NULL;
	program->code_count = 0;
	if (!dies_read_units(&program->main, &program->budget, &fault))
		return false;
	if (fault.status != CAIRN_OK)
		program->damage =
			(struct program_damage){ fault, dwarf_sections_name(DWARF_SECTION_INFO),
			                         0 };
	const size_t count = program->main.units.count;
	bool *is_unknown = calloc(count + 1, sizeof(*is_unknown));
	const bool ok = is_unknown && program_make_places(program) &&
	                add_roots(program, is_unknown) && add_aranges(program, is_unknown);
	free(is_unknown);
	program_sort_ranges(program->code, program->code_count);
	return ok;
}

static bool add_found(struct program_unit_list *found, size_t unit)
{
	size_t at = found->count;

	while (at > 0 && found->unit[at - 1] > unit)
		at--;
	if (at > 0 && found->unit[at - 1] == unit)
		return true;
	if (found->count == PROGRAM_UNITS_FOUND_MAX)
		return false;
	for (size_t i = found->count++; i > at; i--)
		found->unit[i] = found->unit[i - 1];
	found->unit[at] = unit;
	return true;
}

bool program_find_indexed_units(const struct program *program, struct cairn_range asked,
                                struct program_unit_list *found)
{
	found->count = 0;
	size_t first = SORTED_BELOW(program->code, program->code_count, range.low, asked.high);
	for (; first > 0 && program->code[first - 1].reach > asked.low; first--)
		if (program->code[first - 1].range.high > asked.low &&
		    !add_found(found, program->code[first - 1].unit))
			return false;
	return true;
}
