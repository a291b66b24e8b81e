/* SPDX-License-Identifier: MIT */
/*
 * The user's breakpoints while symbols are taken away.  GDB disables an enabled one that it cannot
 * place any more, and leaves one that is disabled, without a place, until symbols come that have
 * one.  So they are disabled before, and enabled again after it.
 *
 *	text_add(questions, breakpoints_question);
 *	... breakpoints_enabled(gdb_call(call)->output, &numbers) gives " 1 4"
 */
#ifndef CAIRN_GDB_QUERIES_BREAKPOINTS_H
#define CAIRN_GDB_QUERIES_BREAKPOINTS_H

#include "common/base/text.h"

/* GDB commands; what they print is after everything else. */
extern const char breakpoints_question[];

/* The numbers of those that are enabled and have a place in the program, each after a blank. */
void breakpoints_enabled(const char *said, struct text *numbers);

#endif
