/* SPDX-License-Identifier: MIT */
/*
 * The commands that users type.  A command is a row in the table of commands.c and a function; the
 * GDB script that defines them is made from the table, and the words that it takes are checked by
 * its usage before it is called.
 */
#ifndef CAIRN_GDB_COMMANDS_COMMANDS_H
#define CAIRN_GDB_COMMANDS_COMMANDS_H

#include "session/session.h"

extern const struct command_table command_table;

/*
 * Run what was requested; the answer is published.  `frame` is NULL when GDB asked for one that we
 * do not know (`asked`), or for none.
 */
void command_run(struct session *session, const struct cairn_registers *frame, bool asked);

void command_status(struct command_call *call);
void command_modules(struct command_call *call);
void command_where(struct command_call *call);
void command_bt(struct command_call *call);
void command_sframe(struct command_call *call);
void command_sync(struct command_call *call);
void command_cbf(struct command_call *call);
void command_find_cbf(struct command_call *call);
void command_load_reader(struct command_call *call);
void command_markup(struct command_call *call);
void command_set_unwinder(struct command_call *call);
void command_show_unwinder(struct command_call *call);
void command_set_color(struct command_call *call);
void command_show_color(struct command_call *call);
void command_ping(struct command_call *call);
void command_add_gsym(struct command_call *call);
void command_add_symbfile(struct command_call *call);
void command_add_breakpad(struct command_call *call);
void command_symbols_load(struct command_call *call);
void command_symbols_unload(struct command_call *call);
void command_follow(struct command_call *call);
void command_set_auto_symbols(struct command_call *call);
void command_show_auto_symbols(struct command_call *call);
void command_set_gsym_directory(struct command_call *call);
void command_show_gsym_directory(struct command_call *call);

#endif
