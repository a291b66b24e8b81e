/* SPDX-License-Identifier: MIT */
/*
 * Has anything been loaded or closed since GDB was last asked for all modules?  At each stop this is
 * asked of the dynamic linker's own list in the target's memory: one short read for each library,
 * and no output of GDB's.  What cannot be known so counts as a change.
 */
#ifndef CAIRN_GDB_LOADING_LINKER_LIST_H
#define CAIRN_GDB_LOADING_LINKER_LIST_H

#include "queries/gdb_state.h"

/* GDB is being asked: find where the dynamic linker's list is. */
void linker_list_begin(struct gdb_session *session, const struct gdb_state *state);

/* All that was found is handed over: remember the list. */
void linker_list_end(struct gdb_session *session);

/* Answers what `_cairn follow` has asked at a stop; false when that is not what is waiting. */
bool linker_list_answer(struct gdb_session *session);

#endif
