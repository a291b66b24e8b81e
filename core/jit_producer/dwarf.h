/* SPDX-License-Identifier: MIT */
/* Encodes a function's frame as DWARF CFA instructions, and its lines as a DWARF 4 line program. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_H
#define CAIRN_JIT_PRODUCER_DWARF_H

#include "jit_producer/memory.h"

enum { CIE_BYTES = 24 }; /* size of a CIE on all machines, padded with DW_CFA_nop */

/*
 * Encoding of addresses in the FDEs that follow a CIE: absolute with 8 bytes (in .debug_frame and
 * in .eh_frame), or PC-relative with 4 bytes.
 */
enum cairn_jit_cie { CIE_DEBUG_FRAME, CIE_ABSOLUTE, CIE_RELATIVE };

CAIRN_JIT_INTERNAL void cairn_jit_write_cie(struct cairn_jit_bytes *out, enum cairn_jit_cie kind);

enum { LINES_BASE = -4, LINES_RANGE = 12, LINES_OPCODE_BASE = 13 };

/*
 * Decode the next line in a line program. The caller zero-initializes *line and sets its line
 * number to 1. Returns false after the last line.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_next_line(const uint8_t **ops, const uint8_t *end,
                                            struct cairn_jit_line *line);

/* Buffers to which struct cairn_jit_facts points; reused for each function. */
struct cairn_jit_scratch {
	struct cairn_jit_bytes frame, lines;
	char name[32];
	const char *problem; /* rule of cairn_jit.h that the last function breaks, or NULL */
};

/*
 * Validate and encode a function. Returns false if it violates a rule of cairn_jit.h, which
 * scratch->problem then describes, or if allocation fails.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_make_facts(struct cairn_jit_scratch *scratch,
                                             const struct cairn_jit_function *function,
                                             struct cairn_jit_facts *facts);

#endif
