/* SPDX-License-Identifier: MIT */
/* The GDB scripts that define the commands, generated from the table of commands. */
#ifndef CAIRN_GDB_PROTOCOL_SCRIPT_H
#define CAIRN_GDB_PROTOCOL_SCRIPT_H

#include "gdb_call.h"

/*
 * Write the script that GDB reads at startup: the names of all commands and their help. It is
 * short, because GDB takes about a microsecond for each byte.
 */
void script_start(struct text *text, const struct channel *channel,
                  const struct command_table *table);

/*
 * Write the script that the first command reads: the definitions of all commands, and then the
 * action of that command itself.
 */
void script_define(struct text *text, const struct channel *channel,
                   const struct command_table *table);

#endif
