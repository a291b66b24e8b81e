/* SPDX-License-Identifier: MIT */
/* Turns the lines of a function into operations of a line program of DWARF 4. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_LINES_H
#define CAIRN_JIT_PRODUCER_DWARF_LINES_H

#include "jit_producer/base/parts.h"

/* What the line program's header says of special operations. */
enum { LINES_BASE = -4, LINES_RANGE = 12, LINES_OPCODE_BASE = 13 };

/*
 * Appends the operations from the function's start on, as far as its end, without the end of the sequence.  Returns false if the
 * lines contradict cairn_jit.h.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_write_lines(struct cairn_jit_bytes *out,
                                              const struct cairn_jit_function *function);

/* The lines again, one by one: `ops` is what was written, and *line is zeros with line 1 at first.  False after the last one. */
CAIRN_JIT_INTERNAL bool cairn_jit_next_line(const uint8_t **ops, const uint8_t *end,
                                            struct cairn_jit_line *line);

#endif
