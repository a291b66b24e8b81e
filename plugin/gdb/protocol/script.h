/* SPDX-License-Identifier: MIT */
/* The GDB scripts that define the commands, generated from the table of commands. */
#ifndef CAIRN_GDB_PROTOCOL_SCRIPT_H
#define CAIRN_GDB_PROTOCOL_SCRIPT_H

#include "protocol/gdb_call.h"

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

/*
 * The parts of definitions.gdb.in, the script that defines the commands: one string for each line,
 * then NULL. script.c replaces names between two @.
 */

/* Read at startup, before and after the names of the commands. */
extern const char *const definitions_start[], *const definitions_prefixes[];
extern const char *const definitions_aliases[], *const definitions_named[];

/* Read first by the first command, and the help of command prefixes. */
extern const char *const definitions_verb[], *const definitions_prefix_help[];

extern const char *const definitions_helpers[], *const definitions_asking[];
extern const char *const definitions_ends[], *const definitions_follow[];

/* Body of each command: its words, and the request and its answer. */
extern const char *const definitions_words[], *const definitions_ask[];

/* Executed once after all definitions. */
extern const char *const definitions_first[];

#endif
