/* SPDX-License-Identifier: MIT */
/* The value of an expression where there is neither frame nor thread. */
#ifndef CAIRN_GDB_QUERIES_EVAL_WITHOUT_PROCESS_H
#define CAIRN_GDB_QUERIES_EVAL_WITHOUT_PROCESS_H

#include "session/session.h"

/* Ask whether GDB knows the name that the expression consists of; false: it is more than a name. */
bool eval_without_process_ask_name(struct command_call *call, const char *expression);

/* Then: does it?  If not, that has been reported. */
bool eval_without_process_name_known(struct command_call *call, const char *expression);

/*
 * Run a command that prints a value, with the user's expression as it was typed, after the reply: there numbers are read in the user's
 * radix, and ours are not.
 */
void eval_in_step(struct command_call *call, const struct text *command);

/* Ask for the value; an error in it ends the user's script. */
void eval_without_process_ask_value(struct command_call *call, const char *expression);

#endif
