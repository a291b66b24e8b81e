/* SPDX-License-Identifier: MIT */
/*
 * Reads .debug_aranges (DWARF 5, section 6.1.2), which maps addresses to units. Compilers may omit
 * it for a unit, so an address that is not found may still belong to one.
 *
 *	struct dwarf_aranges aranges = dwarf_aranges_open(section, big);
 *	struct dwarf_arange range;
 *	while (dwarf_aranges_next(&aranges, &range))
 *		... range.low, range.high, range.unit
 */
#ifndef CAIRN_FORMATS_DWARF_ARANGES_H
#define CAIRN_FORMATS_DWARF_ARANGES_H

#include <cairn.h>

#include "base/reader.h"

struct dwarf_arange {
	uint64_t low, high;
	uint64_t unit; /* offset of the unit in .debug_info */
};

struct dwarf_aranges {
	struct reader in;
	size_t end;
	uint64_t unit;
	bool wide; /* the current set has 8-byte addresses */
};

struct dwarf_aranges dwarf_aranges_open(struct cairn_bytes section, bool big);

/* Read the next nonempty range. Return false at the end or if a set is damaged. */
bool dwarf_aranges_next(struct dwarf_aranges *aranges, struct dwarf_arange *range);

/* Read the next nonempty range that overlaps `near`. */
bool dwarf_aranges_next_near(struct dwarf_aranges *aranges, struct cairn_range near,
                             struct dwarf_arange *range);

#endif
