/* SPDX-License-Identifier: MIT */
/* Generates the GDB scripts that define the commands. */
#ifndef CAIRN_GDB_PROTOCOL_SCRIPT_H
#define CAIRN_GDB_PROTOCOL_SCRIPT_H

#include "protocol/gdb_call.h"

/*
 * Write the script that GDB reads at startup. It defines the names of all commands. It is short,
 * because GDB needs about a microsecond per byte.
 */
void script_start(struct text *text, const struct channel *channel,
                  const struct command_table *table);

/*
 * Write the script that the first command reads: the definitions of all commands and their help,
 * followed by an invocation of that first command.
 */
void script_define(struct text *text, const struct channel *channel,
                   const struct command_table *table);

/*
 * The sections of definitions.gdb.in. Each is an array of lines that ends with NULL. script.c
 * replaces each @NAME@ in the lines.
 */

/* Sections read at startup, before and after the names of the commands. */
extern const char *const definitions_start[], *const definitions_prefixes[];
extern const char *const definitions_aliases[], *const definitions_named[];

/* Sections read by the first command: the beginning, and the help of command prefixes. */
extern const char *const definitions_verb[], *const definitions_prefix_help[];

extern const char *const definitions_helpers[], *const definitions_asking[];
extern const char *const definitions_ends[], *const definitions_follow[];

/* Body of each command: collects its words, sends the request, and executes the answer. */
extern const char *const definitions_words[], *const definitions_ask[];

/* Section that is run once, after all definitions. */
extern const char *const definitions_first[];

#endif
