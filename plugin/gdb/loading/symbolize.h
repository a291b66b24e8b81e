/* SPDX-License-Identifier: MIT */
/* Looks up in symbol files the addresses for which GDB has no line. */
#ifndef CAIRN_GDB_LOADING_SYMBOLIZE_H
#define CAIRN_GDB_LOADING_SYMBOLIZE_H

#include "session/session.h"

/*
 * Fills in functions, files and lines of the trace, behind gdb_symbols_read().  With `inlines` a spot
 * becomes as many as there are calls inlined there, innermost first.  False: GDB is being asked
 * for the names of modules; call it again then, with PENDING_GDB_STATE.
 */
bool symbolize_trace(struct command_call *call, bool inlines, bool full_path);

#endif
