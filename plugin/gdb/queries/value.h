/* SPDX-License-Identifier: MIT */
/* The values of expressions, in the user's language; GDB is asked for them. */
#ifndef CAIRN_GDB_QUERIES_VALUE_H
#define CAIRN_GDB_QUERIES_VALUE_H

#include "session/session.h"

/*
 * After this command the stack may look different.  GDB 13 dies when it does not find the selected
 * frame again, so the innermost one is selected first.  False: GDB is being asked to.
 */
bool reply_select_innermost(struct command_call *call);

/*
 * The value of the words after the options, an expression in the user's language: functions and
 * arrays give their address.  False: GDB is being asked, and calls this command again; or it was,
 * and what it objected to has been printed.
 */
bool command_call_value(struct command_call *call, uint64_t *value);

/* The same; `named`: call->output has GDB's symbols for it, too, as those of spot 0. */
bool command_call_address(struct command_call *call, uint64_t *value, bool *named);

#endif
