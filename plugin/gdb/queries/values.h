/* SPDX-License-Identifier: MIT */
/* Queries GDB for values, symbols, breakpoints and colours. */
#ifndef CAIRN_GDB_QUERIES_VALUES_H
#define CAIRN_GDB_QUERIES_VALUES_H

#include "common/base/text.h"
#include "queries/session.h"

/*
 * Keeps the user's breakpoints while symbols are removed. If an enabled breakpoint loses its
 * location, GDB disables it permanently, whereas a disabled breakpoint stays pending until new
 * symbols provide a location. Breakpoints are therefore disabled before symbols are removed, and
 * enabled again afterwards.
 *
 *	text_add(questions, breakpoints_question);
 *	... breakpoints_enabled(gdb_call(call)->output, &numbers) gives " 1 4"
 */

extern const char breakpoints_question[];

/*
 * Parse the output of breakpoints_question, which must be at the end of `said`. Appends to
 * `numbers` the numbers of the enabled breakpoints that have a location in the program, each
 * preceded by a space.
 */
void breakpoints_enabled(const char *said, struct text *numbers);

/*
 * Count the pipes to other processes that GDB has open. Called when the module is loaded, before
 * the first command.
 */
void colors_start(struct gdb_session *s);

/*
 * Return true if output is to be coloured according to `set cairn color`. With `auto`, return true
 * if GDB would colour its own output now.
 */
bool colors_enabled(const struct gdb_session *s, const struct request *request);

enum answer gdb_symbols_name_spots(struct command_call *call, struct trace *trace, bool full_path);

void gdb_symbols_read_spots(struct command_call *call, struct code_location *spots, size_t count,
                            bool full_path);

/*
 * Select the innermost frame before a command that may change the stack that GDB shows: GDB 13
 * crashes if it cannot find the selected frame again. Returns false if GDB must select the frame
 * first; the step then runs again.
 */
bool gdb_select_innermost(struct command_call *call);

/*
 * If there is a stack, add a command to the reply that selects the innermost frame before GDB runs
 * the commands that follow it.
 */
void gdb_order_innermost(struct command_call *call);

/* Evaluate an expression in the user's language. Implements debugger.evaluate(). */
enum answer gdb_evaluate(struct command_call *call, struct word_range words, uint64_t *value,
                         struct code_location *spot);

#endif
