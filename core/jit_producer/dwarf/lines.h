/* SPDX-License-Identifier: MIT */
/* Converts the lines of a function to operations of a DWARF 4 line program. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_LINES_H
#define CAIRN_JIT_PRODUCER_DWARF_LINES_H

#include "jit_producer/base/parts.h"

/* Parameters of special operations in the line program header. */
enum { LINES_BASE = -4, LINES_RANGE = 12, LINES_OPCODE_BASE = 13 };

/*
 * Append the operations from the function's start to its end, without the end of the sequence.
 * Returns false if the lines violate the rules of cairn_jit.h.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_write_lines(struct cairn_jit_bytes *out,
                                              const struct cairn_jit_function *function);

/*
 * Read the next line from written operations. Initialize *line to zeros with line 1. Returns false
 * after the last line.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_next_line(const uint8_t **ops, const uint8_t *end,
                                            struct cairn_jit_line *line);

#endif
