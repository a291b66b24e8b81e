/* SPDX-License-Identifier: MIT */
/* Where the code of all units is, by their first entries.  It is for programs that are asked about many addresses. */
#include "program.h"

#include "program_parts.h"

#include "base/bisect.h"
#include "debuginfo/dwarf/die_ranges.h"

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

/* A unit whose first entry cannot be read may be anywhere. */
static bool add_roots(struct program *program)
{
	struct dies_unit root = { .budget = &program->budget };
	struct cairn_fault fault;
	const char *where;
	bool ok = true;

	for (size_t i = 0; ok && i < program->main.units.count; i++) {
		const struct dwarf_unit *unit = &program->main.units.unit[i];
		if (!program_may_hold_code(unit))
			continue;
		if (dies_load_root(&root, &program->main, unit, &fault, &where) == CAIRN_OK)
			ok = add_root(program, &root, i);
		else
			ok = add_code(program, (struct cairn_range){ 0, UINT64_MAX }, i);
	}
	dies_unload(&root);
	return ok && !program->budget.exhausted;
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
	const bool ok = program_make_places(program) && add_roots(program);
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
