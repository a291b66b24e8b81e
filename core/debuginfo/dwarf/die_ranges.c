/* SPDX-License-Identifier: MIT */
/* Reads the addresses of an entry, as bounds or as a list of ranges. */
#include "die_ranges.h"

#include "base/range.h"

bool die_address(const struct dies_unit *unit, const struct die *die, enum dies_attribute which,
                 uint64_t *address)
{
	const struct dwarf_attribute *a = &die->at[which];

	if (!die_has(die, which))
		return false;
	*address = a->number;
	return a->class == DWARF_ADDRESS ||
	       (a->class == DWARF_ADDRESS_INDEX && dwarf_address(&unit->file->sections, &unit->unit,
	                                                         &unit->bases, a->number, address));
}

bool die_pc_bounds(const struct dies_unit *unit, const struct die *die, struct cairn_range *range)
{
	if (!die_has(die, DIES_HIGH) || !die_address(unit, die, DIES_LOW, &range->low))
		return false;
	if (die->at[DIES_HIGH].class == DWARF_CONSTANT) {
		range->high = range->low + die->at[DIES_HIGH].number;
		if (range->high < range->low)
			range->high = range->low;
		return true;
	}
	return die_address(unit, die, DIES_HIGH, &range->high);
}

bool die_has_range_list(const struct die *die)
{
	const struct dwarf_attribute *ranges = &die->at[DIES_RANGES];

	return ranges->class == DWARF_OFFSET || ranges->class == DWARF_LIST_INDEX ||
	       ranges->class == DWARF_CONSTANT;
}

bool die_touches(const struct dies_unit *unit, const struct die *die,
                 const struct cairn_range *asked, size_t count)
{
	struct cairn_range range;

	if (!die_has(die, DIES_RANGES))
		return die_pc_bounds(unit, die, &range) && range_touches(range, asked, count);
	if (!die_has_range_list(die))
		return false;
	struct dwarf_ranges ranges = dwarf_open_ranges(&unit->file->sections, &unit->unit,
	                                               &unit->bases, &die->at[DIES_RANGES]);
	uint64_t from = ranges.at;
	while (dwarf_next_range(&ranges, &range)) {
		if (!budget_work(unit->budget, (ranges.at - from) / DIE_RANGE_BYTES))
			return false;
		if (range_touches(range, asked, count))
			return true;
		from = ranges.at;
	}
	return false;
}
