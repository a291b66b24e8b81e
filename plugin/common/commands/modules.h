/* SPDX-License-Identifier: MIT */
/* The list of modules that two commands show. */
#ifndef CAIRN_COMMON_COMMANDS_MODULES_H
#define CAIRN_COMMON_COMMANDS_MODULES_H

#include "common/session/session.h"

void modules_print(struct command_call *call);

void modules_add_json(struct json_writer *json, struct session *session);

/*
 * Command step: read the code that the program has registered through GDB's JIT interface. The
 * debugger may have read some of that code before cairn was loaded.
 */
enum answer modules_read_registered_code(struct command_call *call);

#endif
