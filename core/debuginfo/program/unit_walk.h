/* SPDX-License-Identifier: MIT */
/* Walks over the entries of one unit, following references to other units and files. */
#ifndef CAIRN_DEBUGINFO_PROGRAM_UNIT_WALK_H
#define CAIRN_DEBUGINFO_PROGRAM_UNIT_WALK_H

#include "function_builder.h"

#include "debuginfo/dwarf/dies.h"

struct unit_walk {
	struct dies *dies; /* dies->main is the unit */
	struct function_builder *builder;
	struct lines *lines;
	bool call_sites;
};

/*
 * Read all functions of the unit. Returns CAIRN_OK if its end was reached, otherwise NO_MEMORY,
 * builder->status, or the status of a damage in *section.
 */
CAIRN_MUST_USE enum cairn_status unit_walk_read(struct unit_walk *scan, struct cairn_fault *fault,
                                                const char **section);

#endif
