/* SPDX-License-Identifier: MIT */
/*
 * Checks at each stop whether modules have been loaded or unloaded since GDB was last queried for
 * its modules. Reads the dynamic linker's own list from the target's memory. Reading the list takes
 * one short read per library and needs no output from GDB. If the list cannot be read, it counts as
 * changed.
 */
#ifndef CAIRN_GDB_FOLLOW_H
#define CAIRN_GDB_FOLLOW_H

#include "queries/gdb_state.h"

/*
 * Handle the request that the GDB command `_cairn follow` writes at a stop. Returns false if there
 * is no such request.
 */
bool linker_list_answer(struct gdb_session *session);

#endif
