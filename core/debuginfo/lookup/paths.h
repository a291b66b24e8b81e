/* SPDX-License-Identifier: MIT */
/*
 * Paths of source files as the other tools print them.  line_files_path() joins a file's name with its
 * folder, but a relative folder not with that of the unit.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_PATHS_H
#define CAIRN_DEBUGINFO_LOOKUP_PATHS_H

#include "names.h"
#include "units.h"

/*
 * The part of `path` that is wanted: location->directory and ->file.  It is one of `files`, which are
 * those of the unit.
 */
void paths_shorten(struct unit *unit, const struct line_files *files, struct cairn_bytes path,
                   enum debuginfo_paths paths, struct cairn_location *location);

#endif
