/* SPDX-License-Identifier: MIT */
/* GDB, as commands ask it. */
#ifndef CAIRN_GDB_COMMANDS_GDB_DEBUGGER_H
#define CAIRN_GDB_COMMANDS_GDB_DEBUGGER_H

#include "session/session.h"

extern const struct debugger gdb_debugger;

/* "auto", "always", "off". */
extern const char *const gdb_unwinder_names[];

#endif
