/* SPDX-License-Identifier: MIT */
/*
 * Paths of source files as the other tools print them.  libdw joins a file's name with its folder,
 * but a relative folder not with that of the unit.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_PATHS_H
#define CAIRN_DEBUGINFO_LOOKUP_PATHS_H

#include "names.h"
#include "units.h"

/* The part of `path`, a file of the unit, that is wanted: location->directory and ->file. */
void paths_shorten(struct unit *unit, const char *path, enum debuginfo_paths paths,
                   struct cairn_location *location);

#endif
