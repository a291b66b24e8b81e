/* SPDX-License-Identifier: MIT */
/*
 * The innermost frame, names from symbol files for addresses for which the debugger has no line,
 * and the forms in which commands show them.
 */
#ifndef CAIRN_COMMON_COMMANDS_NAMES_H
#define CAIRN_COMMON_COMMANDS_NAMES_H

#include "common/base/json_writer.h"
#include "common/session/session.h"
#include "common/session/trace.h"

/* Show a rule as "cfa sp+16  fp u  ra [cfa-8]", followed by its flags. */
void show_rule(struct text *text, const struct cairn_rule *rule);

/* Add the rule as members of a JSON object, with `bias` added to its addresses. */
void show_rule_json(struct json_writer *json, const struct cairn_rule *rule, uint64_t bias);

/* Show the module's name, or its address if it does not have one. */
void show_module_name(struct text *text, const struct cairn_module *module);

/* Show "name + 4 at file.c:31" as far as known, or "??". */
void show_location(struct text *text, const struct code_location *spot);

/* Show an address such as "0x401136" with at least `digits` digits. */
void show_address(struct text *text, uint64_t address, int digits);

void show_location_json(struct json_writer *json, const struct code_location *spot);

/* The innermost frame of the selected thread. */

/*
 * Read the registers of the frame. Returns false and reports the reason if there is no such frame.
 */
bool read_innermost_frame(struct command_call *call, struct cairn_registers *registers);

/*
 * Command step before read_innermost_frame(): find the module of the frame. If its code cannot be
 * read, cairn cannot find the module itself, but the debugger may know it.
 */
enum answer innermost_find_module(struct command_call *call);

/* Names from symbol files, for addresses for which the debugger has no line. */

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
