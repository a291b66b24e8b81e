/* SPDX-License-Identifier: MIT */
/*
 * The user's breakpoints while symbols are removed. GDB disables an enabled breakpoint that loses
 * its location for good, but keeps a disabled one pending until new symbols provide a location.
 * Breakpoints are therefore disabled before symbols are removed, and enabled again afterwards.
 *
 *	text_add(questions, breakpoints_question);
 *	... breakpoints_enabled(gdb_call(call)->output, &numbers) gives " 1 4"
 */
#ifndef CAIRN_GDB_QUERIES_BREAKPOINTS_H
#define CAIRN_GDB_QUERIES_BREAKPOINTS_H

#include "common/base/text.h"

/* GDB commands whose output follows all other output. */
extern const char breakpoints_question[];

/*
 * Add the numbers of the breakpoints that are enabled and have a location in the program, each
 * preceded by a blank.
 */
void breakpoints_enabled(const char *said, struct text *numbers);

#endif
