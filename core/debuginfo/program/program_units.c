/* SPDX-License-Identifier: MIT */
/* Finds the units whose code holds an address, by the ranges of their first entries alone. */
#include "program.h"

#include "program_parts.h"

#include "debuginfo/dwarf/die_ranges.h"

/* Units of an unknown version are not read at all. */
static bool may_hold_code(const struct dwarf_unit *unit)
{
	return unit->version != 0 && unit->type != DWARF_UT_TYPE &&
	       unit->type != DWARF_UT_SPLIT_TYPE && unit->type != DWARF_UT_PARTIAL;
}

bool program_find_units(struct program *program, const uint64_t *vas, size_t count,
                        struct program_unit_list *found)
{
	struct dies_unit root = { .budget = &program->budget };
	struct cairn_fault fault;
	const char *where;
	bool ok = true;

	found->count = 0;
	for (size_t i = 0; ok && i < program->main.units.count; i++) {
		const struct dwarf_unit *unit = &program->main.units.unit[i];
		if (!may_hold_code(unit))
			continue;
		ok = program_is_fast_decodable(unit) &&
		     dies_load_root(&root, &program->main, unit, &fault, &where) == CAIRN_OK;
		if (!ok || !die_holds(&root, &root.root, vas, count))
			continue;
		ok = found->count < PROGRAM_UNITS_FOUND_MAX;
		if (ok)
			found->unit[found->count++] = i;
	}
	dies_unload(&root);
	return ok && !program->budget.exhausted;
}
