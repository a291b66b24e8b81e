/* SPDX-License-Identifier: MIT */
/* Captures in inferiors of their own, beside the program that is debugged; the functions are those of struct debugger. */
#ifndef CAIRN_GDB_COMMANDS_CAPTURE_INFERIORS_H
#define CAIRN_GDB_COMMANDS_CAPTURE_INFERIORS_H

#include "common/session/debugger.h"

enum answer gdb_show_capture(struct command_call *call, struct shown_capture *shown);
enum answer gdb_find_inferior(struct command_call *call, uint64_t *number);
enum answer gdb_hide_capture(struct command_call *call, const struct shown_capture *shown);

#endif
