/* SPDX-License-Identifier: MIT */
/*
 * Which rows a debugger takes for breakpoints of their own.  Of all statements of a line it stops at
 * the first one in each block: a function, an inlined call, or a scope of variables.  Calls come
 * with the function; scopes do not, so the rows that begin a line again in another scope of the same
 * call are marked.
 */
#ifndef CAIRN_DEBUGINFO_FUNCTIONS_BREAKPOINT_ROWS_H
#define CAIRN_DEBUGINFO_FUNCTIONS_BREAKPOINT_ROWS_H

#include "function_builder.h"

/* The rows of a function whose nodes and scopes are known and normal. */
bool breakpoint_rows_mark(struct function_builder *builder,
                          const struct function_builder_open *open, struct function_row *row,
                          size_t count);

void breakpoint_rows_free(struct breakpoint_rows *apart);

#endif
