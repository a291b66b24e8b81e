/* SPDX-License-Identifier: MIT */
/* The GDB scripts that define the commands; made from the table of commands. */
#ifndef CAIRN_GDB_PROTOCOL_SCRIPT_H
#define CAIRN_GDB_PROTOCOL_SCRIPT_H

#include "gdb_call.h"

/*
 * What GDB reads at the start: the names of all commands and their help.  It is short, because GDB
 * takes about a microsecond for each byte.
 */
void script_start(struct text *text, const struct channel *channel,
                  const struct command_table *table);

/* What the first command reads: the definitions of all, and what that command itself is to do. */
void script_define(struct text *text, const struct channel *channel,
                   const struct command_table *table);

#endif
