/* SPDX-License-Identifier: MIT */
/* Where the code of an entry is: its addresses, and whether one is among them. */
#ifndef CAIRN_DEBUGINFO_DWARF_DIE_RANGES_H
#define CAIRN_DEBUGINFO_DWARF_DIE_RANGES_H

#include "dies.h"

enum { DIE_RANGE_BYTES = 4 }; /* of a list, that are read in one step */

/* An address attribute; false when it is not there, or its index leads nowhere. */
bool die_address(const struct dies_unit *unit, const struct die *die, enum dies_attribute which,
                 uint64_t *address);

/* DW_AT_low_pc and DW_AT_high_pc, which is an address or counts from the first. */
bool die_pc_bounds(const struct dies_unit *unit, const struct die *die, struct cairn_range *range);

/* Before DWARF 4 an offset in a section was written as a number. */
bool die_has_range_list(const struct die *die);

/* Does the entry's code touch one of `count` ranges?  False as well when unit->budget is used up. */
bool die_touches(const struct dies_unit *unit, const struct die *die,
                 const struct cairn_range *asked, size_t count);

#endif
