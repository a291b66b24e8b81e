/* SPDX-License-Identifier: MIT */
/*
 * A check, at each stop, whether any module was loaded or closed since GDB's modules were last
 * queried. It reads the dynamic linker's own list in the target's memory, which takes one short
 * read for each library and no output from GDB. If the list cannot be read, that counts as a
 * change.
 */
#ifndef CAIRN_GDB_LOADING_LINKER_LIST_H
#define CAIRN_GDB_LOADING_LINKER_LIST_H

#include "queries/gdb_state.h"

/* Find the dynamic linker's list while GDB's modules are queried. */
void linker_list_begin(struct gdb_session *session, const struct gdb_state *state);

/* Record the list after all symbols found were handed over. */
void linker_list_end(struct gdb_session *session);

/*
 * Answer a request that `_cairn follow` has written at a stop. Returns false if there is no such
 * request.
 */
bool linker_list_answer(struct gdb_session *session);

#endif
