/* SPDX-License-Identifier: MIT */
/*
 * A check, at each stop, whether any module was loaded or closed since GDB's modules were last
 * queried. It reads the dynamic linker's own list in the target's memory, which takes one short
 * read for each library and no output from GDB. If the list cannot be read, that counts as a
 * change.
 */
#ifndef CAIRN_GDB_FOLLOW_H
#define CAIRN_GDB_FOLLOW_H

#include "queries/gdb_state.h"

/*
 * Answer a request that `_cairn follow` has written at a stop. Returns false if there is no such
 * request.
 */
bool linker_list_answer(struct gdb_session *session);

#endif
