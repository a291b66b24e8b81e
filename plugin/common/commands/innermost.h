/* SPDX-License-Identifier: MIT */
/* The innermost frame of the selected thread. */
#ifndef CAIRN_COMMON_COMMANDS_INNERMOST_H
#define CAIRN_COMMON_COMMANDS_INNERMOST_H

#include "common/session/session.h"

/*
 * Read the registers of the frame. Returns false and reports the reason if there is no such frame.
 */
bool read_innermost_frame(struct command_call *call, struct cairn_registers *registers);

/*
 * Command step before read_innermost_frame(): find the module of the frame. If its code cannot be
 * read, cairn cannot find the module itself, but the debugger may know it.
 */
enum answer innermost_find_module(struct command_call *call);

#endif
