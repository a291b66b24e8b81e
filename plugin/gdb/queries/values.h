/* SPDX-License-Identifier: MIT */
/* Values, symbols, breakpoints and colours, for which commands query GDB. */
#ifndef CAIRN_GDB_QUERIES_VALUES_H
#define CAIRN_GDB_QUERIES_VALUES_H

#include "common/base/text.h"
#include "queries/session.h"

/*
 * The user's breakpoints while symbols are removed. GDB disables an enabled breakpoint that loses
 * its location for good, but keeps a disabled one pending until new symbols provide a location.
 * Breakpoints are therefore disabled before symbols are removed, and enabled again afterwards.
 *
 *	text_add(questions, breakpoints_question);
 *	... breakpoints_enabled(gdb_call(call)->output, &numbers) gives " 1 4"
 */

/* GDB commands whose output follows all other output. */
extern const char breakpoints_question[];

/*
 * Add the numbers of the breakpoints that are enabled and have a location in the program, each
 * preceded by a blank.
 */
void breakpoints_enabled(const char *said, struct text *numbers);

/* Record the open pipes when the module is loaded, before the first command. */
void colors_start(struct gdb_session *s);

/*
 * Return true if `set cairn color` requests colours. With `auto` the result is the same as for
 * GDB's own output at this moment.
 */
bool colors_enabled(const struct gdb_session *s, const struct request *request);

/* Query GDB for the symbols of the spots. Member of struct debugger. */
enum answer gdb_symbols_name_spots(struct command_call *call, struct trace *trace, bool full_path);

/* Read GDB's symbols for `count` spots from the captured output. */
void gdb_symbols_read_spots(struct command_call *call, struct code_location *spots, size_t count,
                            bool full_path);

/*
 * Select the innermost frame before a command that may change the look of the stack: GDB 13 crashes
 * if it cannot find the selected frame again. Returns false while GDB is carrying this out.
 */
bool gdb_select_innermost(struct command_call *call);

/* Add the order to select the innermost frame, if there is a stack, before other orders. */
void gdb_order_innermost(struct command_call *call);

/* Evaluate an expression in the user's language. Member of struct debugger. */
enum answer gdb_evaluate(struct command_call *call, struct word_range words, uint64_t *value,
                         struct code_location *spot);

#endif
