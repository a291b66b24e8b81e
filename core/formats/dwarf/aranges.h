/* SPDX-License-Identifier: MIT */
/*
 * .debug_aranges (DWARF 5, section 6.1.2): which unit has the code at an address. Compilers may leave it out for a
 * unit, so that an address that is not here may be in one all the same.
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
	uint64_t unit; /* where its unit begins in .debug_info */
};

struct dwarf_aranges {
	struct reader in;
	size_t end;    /* of this set */
	uint64_t unit; /* of this set */
	bool wide;     /* it has addresses of 8 bytes */
};

struct dwarf_aranges dwarf_aranges_open(struct cairn_bytes section, bool big);

/* The next range that is not empty; false at the end, and where a set is damaged. */
bool dwarf_aranges_next(struct dwarf_aranges *aranges, struct dwarf_arange *range);

/* The next of those that touch `near`. */
bool dwarf_aranges_next_near(struct dwarf_aranges *aranges, struct cairn_range near,
                             struct dwarf_arange *range);

#endif
