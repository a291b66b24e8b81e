/* SPDX-License-Identifier: MIT */
/* Where the functions and inlined calls of one unit are, read by our own decoder or by libdw. */
#ifndef CAIRN_DEBUGINFO_LOOKUP_UNIT_CODE_H
#define CAIRN_DEBUGINFO_LOOKUP_UNIT_CODE_H

#include "units.h"

/*
 * Fills unit->functions, not sorted, and unit->inlined; what is damaged ends the reading.  False: the unit has
 * forms that our decoder does not know, or memory is short, and nothing was added.
 */
bool unit_code_read(struct units *units, struct unit *unit);

/* The same by libdw. */
void unit_code_read_by_libdw(struct units *units, struct unit *unit);

#endif
