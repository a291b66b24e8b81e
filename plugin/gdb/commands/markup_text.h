/* SPDX-License-Identifier: MIT */
/*
 * The text that the command markup is about: of memory, EXPRESSION and LENGTH or up to a zero byte,
 * or of a file; into session->markup.
 */
#ifndef CAIRN_GDB_COMMANDS_MARKUP_TEXT_H
#define CAIRN_GDB_COMMANDS_MARKUP_TEXT_H

#include "commands.h"

/* False: GDB is being asked for a value, after which it is to be called again; or it failed. */
bool markup_read_text(struct command_call *call);

#endif
