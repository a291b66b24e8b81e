/* SPDX-License-Identifier: MIT */
/* Finds a split unit in a package file (.dwp), which contains the split units of a program. */
#ifndef CAIRN_FORMATS_DWARF_PACKAGE_H
#define CAIRN_FORMATS_DWARF_PACKAGE_H

#include "dwarf.h"

/*
 * Contributions of a unit to the sections of the package, as offsets. A missing contribution is
 * empty.
 */
struct dwarf_package_unit {
	struct cairn_range info, abbrev, str_offsets, rnglists;
	/* number of index slots read, also if the unit is not found */
	uint32_t looked;
};

/* Find a unit by its id in .debug_cu_index. Return CAIRN_NOT_FOUND if it is not in the package. */
CAIRN_MUST_USE enum cairn_status dwarf_find_in_package(struct cairn_bytes index, bool big,
                                                       uint64_t id, struct dwarf_package_unit *unit,
                                                       struct cairn_fault *fault);

#endif
