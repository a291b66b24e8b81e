/* SPDX-License-Identifier: MIT */
/*
 * The commands in GDB: the commands that GDB and LLDB share (common/commands/commands.h), and GDB's
 * own commands. The GDB script that defines the commands is generated from this table.
 */
#ifndef CAIRN_GDB_COMMANDS_H
#define CAIRN_GDB_COMMANDS_H

#include "queries/session.h"

extern const struct command_table command_table;

/*
 * Run the requested command and publish the reply. `asked` is true if GDB is asking for a frame.
 * `frame` is NULL if GDB is not asking for one, or if cairn does not recognize the frame.
 */
void command_run(struct gdb_session *session, const struct cairn_registers *frame, bool asked);

extern const struct command command_sync, command_load_reader, command_ping, command_gather;
extern const struct command command_set_unwinder, command_show_unwinder;
extern const struct command command_set_auto_symbols;

extern const struct debugger gdb_debugger;

extern const char *const gdb_unwinder_names[];

#endif
