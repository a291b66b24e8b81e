/* SPDX-License-Identifier: MIT */
/* Lists the address ranges of the units, and reads a unit when its code is first asked for. */
#include "units.h"

#include "unit_code.h"

#include "formats/dwarf/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	/* Attributes of an entry, which libdw visits again and again; they may take no bytes.  Compilers write
	 * fewer than 30. */
	ATTRIBUTES_MAX = 64,
	/* Bytes that libdw 0.188 allocates for a unit, and for each of its abbreviations. */
	UNIT_COST = 2048,
	ABBREV_COST = 64,
};

static bool add_unit(struct units *units, Dwarf_Die die)
{
	if (!budget_room(units->budget, &units->unit, &units->room, units->count + 1,
	                 sizeof(*units->unit)))
		return false;
	units->unit[units->count] =
		(struct unit){ .die = die, .offset = dwarf_dieoffset(&die) - dwarf_cuoffset(&die) };
	return units_list_add_die(&units->ranges, &units->by_libdw, &die,
	                          (struct units_range){ .unit = units->count++ }, units->budget);
}

/* libdw has a copy of its abbreviations for each unit, also of a table that others use. */
static bool charge_unit(struct abbrev_costs *costs, Dwarf_CU *cu, struct budget *budget)
{
	Dwarf_Off table = 0;
	Dwarf_Die die;

	if (!dwarf_cu_die(cu, &die, NULL, &table, NULL, NULL, NULL, NULL))
		return budget_memory(budget, UNIT_COST);
	if (table != costs->table) {
		costs->table = table;
		costs->count = dwarf_count_table(costs->sections, table, &costs->widest);
		if (!budget_work(budget,
		                 costs->widest > ATTRIBUTES_MAX ? UINT64_MAX : costs->count))
			return false;
	}
	return budget_memory(budget, UNIT_COST + costs->count * ABBREV_COST);
}

void units_open(struct units *units, Dwarf *dwarf, struct cairn_bytes file, struct budget *budget)
{
	*units = (struct units){ .dwarf = dwarf, .budget = budget };
	if (!dwarf)
		return;
	line_tables_open(&units->lines, dwarf, budget);
	units->costs =
		(struct abbrev_costs){ .sections = &units->lines.sections, .table = UINT64_MAX };
	units->by_libdw = (struct libdw_ranges){ .sections = &units->lines.sections };
	unit_addresses_read(&units->addresses, file, budget);
}

bool units_list_all(struct units *units)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	units->all_listed = true;
	while (units->dwarf &&
	       dwarf_get_units(units->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (!charge_unit(&units->costs, cu, units->budget) ||
		    (dwarf_tag(&die) == DW_TAG_compile_unit && !add_unit(units, die))) {
			units->ranges.count = 0;
			return false;
		}
	}
	units_list_sort(&units->ranges);
	return true;
}

/*
 * Returns the index of the unit at `offset`; SIZE_MAX if no unit begins there, memory is short, or the
 * budget is used up.
 */
static size_t open_unit_at(struct units *units, uint64_t offset)
{
	Dwarf_Off next;
	Dwarf_Die die;
	size_t header;

	if (dwarf_next_unit(units->dwarf, offset, &next, &header, NULL, NULL, NULL, NULL, NULL,
	                    NULL) != 0 ||
	    !dwarf_offdie(units->dwarf, offset + header, &die) ||
	    !charge_unit(&units->costs, die.cu, units->budget) ||
	    dwarf_tag(&die) != DW_TAG_compile_unit ||
	    !budget_room(units->budget, &units->unit, &units->room, units->count + 1,
	                 sizeof(*units->unit)))
		return SIZE_MAX;
	units->unit[units->count] = (struct unit){ .die = die, .offset = offset };
	return units->count++;
}

/* The number of the unit with the code at `va`; SIZE_MAX: none. */
static size_t find_unit_number(struct units *units, uint64_t va)
{
	struct unit_place *place = unit_addresses_find(&units->addresses, va);

	if (place && place->number == SIZE_MAX)
		place->number = open_unit_at(units, place->offset);
	if (place && place->number != SIZE_MAX)
		return place->number;
	if (!units->all_listed && !units_list_all(units))
		return SIZE_MAX;
	const struct units_range *range = units_range_at(&units->ranges, va);
	return range ? range->unit : SIZE_MAX;
}

void units_finish(struct units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		free(units->unit[i].functions.range);
		free(units->unit[i].inlined.range);
	}
	free(units->unit);
	free(units->ranges.range);
	dies_unload(&units->loaded);
	unit_addresses_finish(&units->addresses);
	line_tables_finish(&units->lines);
	*units = (struct units){ .budget = units->budget };
}

struct unit *units_find(struct units *units, uint64_t va)
{
	const size_t number = find_unit_number(units, va);

	if (number == SIZE_MAX)
		return NULL;
	struct unit *unit = &units->unit[number];
	if (!unit->was_read) {
		unit->was_read = true;
		units->read++;
		if (!unit_code_read(units, unit))
			unit_code_read_by_libdw(units, unit);
		units_list_sort(&unit->functions);
		units_list_mark(&unit->inlined);
	}
	return unit;
}

struct line_table *units_lines(struct units *units, struct unit *unit)
{
	if (!unit->lines)
		unit->lines = line_tables_of_unit(&units->lines, &unit->die);
	return unit->lines;
}
