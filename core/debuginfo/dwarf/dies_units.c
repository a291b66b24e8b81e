/* SPDX-License-Identifier: MIT */
/* Lists the units of .debug_info, all of them or a few, and finds the one that holds an offset. */
#include "dies.h"

#include "base/bisect.h"

#include <stdlib.h>

/* A run of units of unknown version is one entry: bytes that are not units make millions of them. */
static bool extends_unknown(struct dies_units *units, const struct dwarf_unit *unit)
{
	struct dwarf_unit *last = units->count > 0 ? &units->unit[units->count - 1] : NULL;

	if (!last || last->version != 0 || unit->version != 0)
		return false;
	last->end = unit->end;
	return true;
}

static bool append_unit(struct dies_units *units, const struct dwarf_unit *unit,
                        struct budget *budget)
{
	if (!budget_work(budget, 1))
		return false;
	if (extends_unknown(units, unit))
		return true;
	if (!budget_room(budget, &units->unit, &units->room, units->count + 1, sizeof(*unit)))
		return false;
	units->unit[units->count++] = *unit;
	return true;
}

bool dies_read_units_until(struct dies_file *file, uint64_t until, struct budget *budget,
                           struct cairn_fault *fault)
{
	struct dies_units *units = &file->units;
	struct dwarf_unit unit;

	while (units->read < until && dwarf_read_unit(&file->sections, &units->read, &unit, fault))
		if (!append_unit(units, &unit, budget))
			return false;
	return true;
}

bool dies_read_units(struct dies_file *file, struct budget *budget, struct cairn_fault *fault)
{
	return dies_read_units_until(file, UINT64_MAX, budget, fault);
}

bool dies_add_unit(struct dies_file *file, uint64_t offset, struct budget *budget)
{
	struct dies_units *units = &file->units;
	struct dwarf_unit unit;
	struct cairn_fault fault;

	if (units->count > 0 && offset < units->unit[units->count - 1].end)
		return false;
	return dwarf_read_unit(&file->sections, &offset, &unit, &fault) && unit.version != 0 &&
	       append_unit(units, &unit, budget);
}

void dies_free_units(struct dies_file *file)
{
	free(file->units.unit);
	file->units = (struct dies_units){ .unit = NULL };
}

const struct dwarf_unit *dies_unit_at(const struct dies_file *file, uint64_t offset)
{
	const size_t next = SORTED_UP_TO(file->units.unit, file->units.count, end, offset);

	const struct dwarf_unit *unit = next < file->units.count ? &file->units.unit[next] : NULL;
	if (file->missed && (!unit || offset < unit->offset))
		*file->missed = true;
	return unit && offset >= unit->first && unit->version ? unit : NULL;
}
