/* SPDX-License-Identifier: MIT */
/* Operands that are plain numbers: decimal, or hexadecimal after 0x. */
#ifndef CAIRN_GDB_COMMANDS_OPERANDS_H
#define CAIRN_GDB_COMMANDS_OPERANDS_H

#include "commands.h"

/* How many words stand behind the options. */
unsigned operands_count(const struct command_call *call);

/* Number `index` of them; false when it is no number. */
bool operands_number(const struct command_call *call, unsigned index, uint64_t *number);

/*
 * Take away the last word when it is a number of its own behind an expression: "p 22", but not
 * "p + 22".  False when there is none.
 */
bool operands_remove_number(struct command_call *call, uint64_t *number);

/*
 * The word with which the last of two expressions begins, behind blanks that belong to neither:
 * "p n", "p + 2 sizeof (x)", "(char *) p n - 1".  0 when there is one only.
 */
unsigned operands_last(const struct command_call *call);

#endif
