/* SPDX-License-Identifier: MIT */
/*
 * Reads the functions of JIT code with their lines. Functions that were replaced, in whole or in
 * part, by a later one are omitted.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_H

#include "jit_code.h"
#include "model/function.h"

enum { JIT_LINES_MAX = 1 << 20 }; /* lines read per function */

/*
 * Pass all functions to `sink`. Call jit_code_drop_replaced() first. Returns CAIRN_OK, NO_MEMORY,
 * or the sink's status.
 */
CAIRN_MUST_USE enum cairn_status jit_functions(const struct jit_code *code,
                                               const struct function_sink *sink);

#endif
