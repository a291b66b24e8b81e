/* SPDX-License-Identifier: MIT */
/* Names of addresses for which the debugger has no line: from the files of symbols. */
#ifndef CAIRN_COMMON_COMMANDS_NAMING_H
#define CAIRN_COMMON_COMMANDS_NAMING_H

#include "common/session/session.h"

/* What follows is for commands whose context begins with a struct trace; this frees one that is all. */
void naming_finish(void *context);

/* A step: asks the debugger for the names of all spots. */
enum answer naming_ask_names(struct command_call *call);

/* A step: files are found by the names of modules; asks for those, if some are not known. */
enum answer naming_ask_modules(struct command_call *call);

/* Fills in what a file of symbols knows, as it is shown; whole paths only if `full_path`. */
void naming_fill_spot(struct code_location *spot, const struct cairn_location *location,
                      bool full_path);

/* Was this build noted at its place before?  It is, from here on. */
bool naming_note_build(struct named_builds *noted, const struct cairn_module *module);

/*
 * Fills in functions, files and lines of the spots that have no file yet.  A spot becomes as many as
 * there are calls inlined there, innermost first.
 */
void naming_from_files(struct command_call *call);

#endif
