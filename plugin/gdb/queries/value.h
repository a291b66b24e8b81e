/* SPDX-License-Identifier: MIT */
/* Evaluation of expressions in the user's language by GDB. */
#ifndef CAIRN_GDB_QUERIES_VALUE_H
#define CAIRN_GDB_QUERIES_VALUE_H

#include "session/session.h"

/*
 * Select the innermost frame before a command that may change the look of the stack: GDB 13 crashes
 * if it cannot find the selected frame again. Returns false while GDB is carrying this out.
 */
bool gdb_select_innermost(struct command_call *call);

/* Add the order to select the innermost frame, if there is a stack, before other orders. */
void gdb_order_innermost(struct command_call *call);

/* Member of struct debugger. */
enum answer gdb_evaluate(struct command_call *call, struct word_range words, uint64_t *value,
                         struct code_location *spot);

#endif
