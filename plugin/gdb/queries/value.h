/* SPDX-License-Identifier: MIT */
/* The values of expressions, in the user's language; GDB is asked for them. */
#ifndef CAIRN_GDB_QUERIES_VALUE_H
#define CAIRN_GDB_QUERIES_VALUE_H

#include "session/session.h"

/*
 * After this command the stack may look different.  GDB 13 dies when it does not find the selected
 * frame again, so the innermost one is selected first.  False: GDB is being asked to.
 */
bool gdb_select_innermost(struct command_call *call);

/* Selects it, if there is a stack, without a question: before other orders. */
void gdb_order_innermost(struct command_call *call);

/* As struct debugger has it. */
enum answer gdb_evaluate(struct command_call *call, struct word_range words, uint64_t *value,
                         struct code_location *spot);

#endif
