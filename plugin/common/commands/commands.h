/* SPDX-License-Identifier: MIT */
/*
 * The commands that all plugins share. Each plugin lists the shared commands that it offers, and
 * its own commands, in a command table.
 */
#ifndef CAIRN_COMMON_COMMANDS_COMMANDS_H
#define CAIRN_COMMON_COMMANDS_COMMANDS_H

#include "common/session/session.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct command command_status, command_modules;
extern const struct command command_where, command_bt, command_sframe, command_demangle;
extern const struct command command_cbf, command_find_cbf, command_markup;
extern const struct command command_open, command_close;
extern const struct command command_add_gsym, command_add_symbfile, command_add_breakpad;
extern const struct command command_add_sframe;
extern const struct command command_symbols_load, command_symbols_unload;
extern const struct command command_set_color, command_show_color;
extern const struct command command_set_directory, command_show_directory;
extern const struct command command_show_auto_symbols;

/*
 * Parse the operand of "set cairn auto-symbols"; each plugin implements the setting itself. Returns
 * false and reports an error if the operand is neither "on" nor "off".
 */
bool auto_symbols_read(struct command_call *call, bool *on);

const char *color_setting_name(enum color_setting setting);

/* Return the index of `word` in a list of `count` words, or `count` if it is not in the list. */
unsigned find_word_index(const char *word, const char *const *words, unsigned count);

/*
 * Command step: read the JIT code that the program has registered through GDB's JIT interface. The
 * debugger may have read some of that code before cairn was loaded.
 */
enum answer modules_read_registered_code(struct command_call *call);

#ifdef __cplusplus
}
#endif

#endif
