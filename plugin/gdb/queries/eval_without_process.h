/* SPDX-License-Identifier: MIT */
/* Evaluation of expressions without a frame or thread. */
#ifndef CAIRN_GDB_QUERIES_EVAL_WITHOUT_PROCESS_H
#define CAIRN_GDB_QUERIES_EVAL_WITHOUT_PROCESS_H

#include "session/session.h"

/*
 * Query whether GDB knows the name that the expression consists of. Returns false if the expression
 * is more than a name.
 */
bool eval_without_process_ask_name(struct command_call *call, const char *expression);

/* Return true if GDB knows the name; otherwise report an error. */
bool eval_without_process_name_known(struct command_call *call, const char *expression);

/*
 * Run a command that prints a value, with the user's expression as it was typed, after the reply.
 * There, numbers are read in the user's radix, which must not affect the numbers in the reply
 * itself.
 */
void eval_in_step(struct command_call *call, const struct text *command);

/* Query the value. An error in the expression ends the user's script. */
void eval_without_process_ask_value(struct command_call *call, const char *expression);

#endif
