/* SPDX-License-Identifier: MIT */
/* Rows of a frame as call frame instructions of DWARF, and the CIE before them. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_ROWS_H
#define CAIRN_JIT_PRODUCER_DWARF_ROWS_H

#include "jit_producer/base/parts.h"

enum { CIE_BYTES = 24 }; /* on each machine, padded with DW_CFA_nop */

/* The row that holds now, and where it is written to. */
struct cairn_jit_rule {
	struct cairn_jit_bytes *out;
	const struct cairn_jit_function *function;
	uint32_t at; /* where the row began */
	uint16_t cfa_register;
	int32_t cfa_offset;
	struct cairn_jit_saved saved[CAIRN_JIT_SAVED_MAX];
	size_t count;
	bool started;
};

/* Appends the instructions of DWARF that lead to the row.  False: it contradicts cairn_jit.h. */
CAIRN_JIT_INTERNAL bool cairn_jit_write_row(struct cairn_jit_rule *state,
                                            const struct cairn_jit_row *row);

/* Append the rows of a template of frames (templates.c).  Both return false where the machine has no such template, too. */
CAIRN_JIT_INTERNAL bool cairn_jit_write_frame_pointer(struct cairn_jit_rule *state);
CAIRN_JIT_INTERNAL bool cairn_jit_write_fixed_frame(struct cairn_jit_rule *state);

/* How FDEs have their addresses: as numbers of 8 bytes in .debug_frame, and also in .eh_frame; relative, of 4 bytes. */
enum cairn_jit_cie { CIE_DEBUG_FRAME, CIE_ABSOLUTE, CIE_RELATIVE };

/* Appends a CIE with its length. */
CAIRN_JIT_INTERNAL void cairn_jit_write_cie(struct cairn_jit_bytes *out, enum cairn_jit_cie kind);

#endif
