/* SPDX-License-Identifier: MIT */
/* GDB, as commands ask it. */
#ifndef CAIRN_GDB_COMMANDS_GDB_DEBUGGER_H
#define CAIRN_GDB_COMMANDS_GDB_DEBUGGER_H

#include "session/session.h"

extern const struct debugger gdb_debugger;

/* Members of it: captures in inferiors of their own, beside the program that is debugged (capture_inferiors.c). */
enum answer gdb_show_capture(struct command_call *call, struct shown_capture *shown);
enum answer gdb_find_inferior(struct command_call *call, uint64_t *number);
enum answer gdb_hide_capture(struct command_call *call, const struct shown_capture *shown);

/* "auto", "always", "off". */
extern const char *const gdb_unwinder_names[];

#endif
