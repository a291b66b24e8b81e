/* SPDX-License-Identifier: MIT */
/*
 * Reads the innermost frame, symbolizes addresses for which the debugger has no line, and formats
 * frames and locations for output.
 */
#ifndef CAIRN_COMMON_COMMANDS_NAMES_H
#define CAIRN_COMMON_COMMANDS_NAMES_H

#include "common/base/json_writer.h"
#include "common/session/session.h"
#include "common/session/trace.h"

/* Format a rule as "cfa sp+16 fp u ra [cfa-8]", followed by the rule's flags. */
void show_rule(struct text *text, const struct cairn_rule *rule);

/* Add the rule as members of a JSON object, adding `bias` to the rule's addresses. */
void show_rule_json(struct json_writer *json, const struct cairn_rule *rule, uint64_t bias);

/* Add the module's name to `text`, or its address if it has no name. */
void show_module_name(struct text *text, const struct cairn_module *module);

/* Format a location as "name + 4 at file.c:31", omitting unknown parts, or as "??". */
void show_location(struct text *text, const struct code_location *spot);

void show_address(struct text *text, uint64_t address, int digits);

void show_location_json(struct json_writer *json, const struct code_location *spot);

/*
 * Read the innermost frame's registers. Returns false and reports the reason if there is no frame.
 */
bool read_innermost_frame(struct command_call *call, struct cairn_registers *registers);

/*
 * Command step before read_innermost_frame(): query the debugger for the frame's module, because
 * cairn cannot find a module whose code is unreadable.
 */
enum answer innermost_find_module(struct command_call *call);

/*
 * Free a command's context that consists only of a struct trace.
 *
 * The functions below look up addresses in symbol files if the debugger has no line for them. They
 * require that the command's context begins with a struct trace.
 */
void naming_finish(void *context);

enum answer naming_ask_names(struct command_call *call);

/*
 * Command step: query the debugger for module names if some are unknown, because symbol files are
 * found by module name.
 */
enum answer naming_ask_modules(struct command_call *call);

/*
 * Fill in a location from a symbol file, formatted for display. Paths keep their directories only
 * if `full_path`.
 */
void naming_fill_spot(struct code_location *spot, const struct cairn_location *location,
                      bool full_path);

/*
 * Record the module's build ID at its load address. Returns true if this build ID was already
 * recorded for the address.
 */
bool naming_note_build(struct named_builds *noted, const struct cairn_module *module);

/*
 * Fill in functions, files and lines in all locations without a file. A location with inlined calls
 * is replaced with one location per call, innermost first.
 */
void naming_from_files(struct command_call *call);

#endif
