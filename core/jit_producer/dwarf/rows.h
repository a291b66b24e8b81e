/* SPDX-License-Identifier: MIT */
/* Writes the rows of a frame as DWARF call frame instructions, and the CIE before them. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_ROWS_H
#define CAIRN_JIT_PRODUCER_DWARF_ROWS_H

#include "jit_producer/base/parts.h"

enum { CIE_BYTES = 24 }; /* the same on all machines, padded with DW_CFA_nop */

struct cairn_jit_rule {
	struct cairn_jit_bytes *out;
	const struct cairn_jit_function *function;
	uint32_t at; /* code offset at which the row starts */
	uint16_t cfa_register;
	int32_t cfa_offset;
	struct cairn_jit_saved saved[CAIRN_JIT_SAVED_MAX];
	size_t count;
	bool started;
};

/*
 * Append the instructions that lead to the row. Returns false if the row violates the rules of
 * cairn_jit.h.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_write_row(struct cairn_jit_rule *state,
                                            const struct cairn_jit_row *row);

/*
 * Append the rows of a frame template (templates.c). Both return false if the machine does not
 * support it.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state);
CAIRN_JIT_INTERNAL bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state);

/*
 * Address encodings of FDEs: absolute, 8 bytes (in .debug_frame and in .eh_frame), or relative, 4
 * bytes.
 */
enum cairn_jit_cie { CIE_DEBUG_FRAME, CIE_ABSOLUTE, CIE_RELATIVE };

CAIRN_JIT_INTERNAL void cairn_jit_write_cie(struct cairn_jit_bytes *out, enum cairn_jit_cie kind);

#endif
