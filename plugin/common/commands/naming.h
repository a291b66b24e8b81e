/* SPDX-License-Identifier: MIT */
/* Names from symbol files, for addresses for which the debugger has no line. */
#ifndef CAIRN_COMMON_COMMANDS_NAMING_H
#define CAIRN_COMMON_COMMANDS_NAMING_H

#include "common/session/session.h"

/*
 * Free the context of a command whose context is just a struct trace. The functions below work on
 * any command whose context begins with a struct trace.
 */
void naming_finish(void *context);

enum answer naming_ask_names(struct command_call *call);

/*
 * Command step: get the names of the modules from the debugger if some are unknown, because symbol
 * files are found by module name.
 */
enum answer naming_ask_modules(struct command_call *call);

/*
 * Fill in names from a symbol file as they are displayed. Paths keep their directories only if
 * `full_path`.
 */
void naming_fill_spot(struct code_location *spot, const struct cairn_location *location,
                      bool full_path);

/*
 * Record the build of the module at its address. Returns true if the same build was recorded there
 * before.
 */
bool naming_note_build(struct named_builds *noted, const struct cairn_module *module);

/*
 * Fill in functions, files and lines of the spots without a file. A spot is replaced by one spot
 * for each call inlined there, innermost first.
 */
void naming_from_files(struct command_call *call);

#endif
