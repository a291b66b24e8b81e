/* SPDX-License-Identifier: MIT */
/* The innermost frame of the selected thread. */
#ifndef CAIRN_COMMON_COMMANDS_INNERMOST_H
#define CAIRN_COMMON_COMMANDS_INNERMOST_H

#include "common/session/session.h"

/* Its registers; false: there is none, and why has been reported. */
bool read_innermost_frame(struct command_call *call, struct cairn_registers *registers);

/* A step before that: code that cannot be read does not lead to its module, but the debugger may know it. */
enum answer innermost_find_module(struct command_call *call);

#endif
