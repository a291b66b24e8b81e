/* SPDX-License-Identifier: MIT */
/* Package files (.dwp): the split units of a program in one file. */
#ifndef CAIRN_FORMATS_DWARF_PACKAGE_H
#define CAIRN_FORMATS_DWARF_PACKAGE_H

#include "formats/dwarf/dwarf.h"

/* A unit's parts of the sections of the package, as offsets; empty when it has none. */
struct dwarf_package_unit {
	struct cairn_range info, abbrev, str_offsets, rnglists;
	uint32_t
		looked; /* slots of the index that were read to find it, also when it is not there */
};

/* The unit of this id, by .debug_cu_index.  NOT_FOUND: it is not in the package. */
CAIRN_MUST_USE enum cairn_status dwarf_find_in_package(struct cairn_bytes index, bool big,
                                                       uint64_t id, struct dwarf_package_unit *unit,
                                                       struct cairn_fault *fault);

#endif
