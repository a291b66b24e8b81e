/* SPDX-License-Identifier: MIT */
/* GDB's implementation of struct debugger. */
#ifndef CAIRN_GDB_COMMANDS_GDB_DEBUGGER_H
#define CAIRN_GDB_COMMANDS_GDB_DEBUGGER_H

#include "session/session.h"

extern const struct debugger gdb_debugger;

/*
 * Members of gdb_debugger that show captures in inferiors of their own, next to the program being
 * debugged (capture_inferiors.c).
 */
enum answer gdb_show_capture(struct command_call *call, struct shown_capture *shown);
enum answer gdb_find_inferior(struct command_call *call, uint64_t *number);
enum answer gdb_hide_capture(struct command_call *call, const struct shown_capture *shown);

extern const char *const gdb_unwinder_names[];

#endif
