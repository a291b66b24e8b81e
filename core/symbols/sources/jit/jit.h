/* SPDX-License-Identifier: MIT */
/*
 * Code that a process has made (symbols/sources/jit/) as functions with lines, as writers of other formats take them.  What a
 * later function has replaced, in whole or in part, is left out.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_H

#include "jit_code.h"
#include "model/function.h"

enum { JIT_LINES_MAX = 1 << 20 }; /* of one function that are used */

/* `code` is without what was replaced: jit_code_drop_replaced().  CAIRN_OK, NO_MEMORY, or what the sink returned. */
CAIRN_MUST_USE enum cairn_status jit_functions(const struct jit_code *code,
                                               const struct function_sink *sink);

#endif
