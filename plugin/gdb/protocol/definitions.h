/* SPDX-License-Identifier: MIT */
/*
 * The parts of definitions.gdb.in, the script that defines the commands: a string for each line, then
 * NULL.  What is between two @ is put in by script.c.
 */
#ifndef CAIRN_GDB_PROTOCOL_DEFINITIONS_H
#define CAIRN_GDB_PROTOCOL_DEFINITIONS_H

/* What is read at the start, before and after the names of the commands. */
extern const char *const definitions_start[], *const definitions_prefixes[];
extern const char *const definitions_aliases[], *const definitions_named[];

/* What the first command reads first, and the help of prefixes. */
extern const char *const definitions_verb[], *const definitions_prefix_help[];

/* Helpers of all commands. */
extern const char *const definitions_helpers[], *const definitions_asking[];
extern const char *const definitions_ends[], *const definitions_follow[];

/* In the body of each command: its words, and the request and its answer. */
extern const char *const definitions_words[], *const definitions_ask[];

/* What is done once, when all is defined. */
extern const char *const definitions_first[];

#endif
