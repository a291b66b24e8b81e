/* SPDX-License-Identifier: MIT */
/* The list of modules, which two commands show. */
#ifndef CAIRN_COMMON_COMMANDS_MODULES_H
#define CAIRN_COMMON_COMMANDS_MODULES_H

#include "common/session/session.h"

void modules_print(struct command_call *call);

/* As the member "modules". */
void modules_add_json(struct json_writer *json, struct session *session);

/* A step: code that the program has registered, of which the debugger may have read some before cairn was loaded. */
enum answer modules_read_registered_code(struct command_call *call);

#endif
