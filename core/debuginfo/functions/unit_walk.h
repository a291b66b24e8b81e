/* SPDX-License-Identifier: MIT */
/*
 * The walk over the entries of one unit, also where it refers to other units and files.
 */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_UNIT_WALK_H
#define CAIRN_DEBUGINFO_FUNCTIONS_UNIT_WALK_H

#include "function_builder.h"

#include "debuginfo/dwarf/dies.h"

struct unit_walk {
	struct dies *dies; /* its `main` is the unit */
	struct function_builder *builder;
	struct lines *lines;
	bool call_sites;
};

/*
 * All functions of the unit.  CAIRN_OK: to its end.  Otherwise what ended it: damage, of *section;
 * NO_MEMORY; or builder->status.
 */
CAIRN_MUST_USE enum cairn_status unit_walk_read(struct unit_walk *scan, struct cairn_fault *fault,
                                                const char **section);

#endif
