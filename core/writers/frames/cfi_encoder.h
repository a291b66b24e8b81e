/* SPDX-License-Identifier: MIT */
/*
 * Encodes unwind rules as .debug_frame (DWARF 5, 6.4): one CIE per kind of function, and FDEs whose
 * instructions encode only the differences between rows.
 */
#ifndef CAIRN_WRITERS_FRAMES_CFI_ENCODER_H
#define CAIRN_WRITERS_FRAMES_CFI_ENCODER_H

#include "base/byte_buffer.h"
#include "unwind/step/flow.h"

/* Number of function kinds: one bit for signal frames, one bit for pointer-authentication key B. */
enum { CFI_ENCODER_KINDS = 4 };

struct cfi_encoder_row {
	struct cairn_rule rule;
	/*
	 * locations of callee-saved registers, encoded as in struct flow_fact; used only on amd64
	 */
	int16_t saved[FLOW_SAVED_REGISTERS];
};

struct cfi_encoder {
	struct byte_buffer *out; /* the caller sets the limit and checks `failed` */
	enum cairn_machine machine;
	bool has_cie[CFI_ENCODER_KINDS];
	size_t cie[CFI_ENCODER_KINDS];
	bool open; /* an FDE with at least one row is in progress */
	unsigned kind;
	size_t fde;
	uint64_t start, at; /* start addresses of the current FDE and of its last row */
	struct cfi_encoder_row row;
};

struct cfi_encoder_cie {
	unsigned kind; /* bit 0: signal frame; bit 1: key B */
	uint8_t word;
	int64_t data_align;
	uint64_t ra;
};

/*
 * Write CIEs and FDEs whose instructions the caller copies from another section. The code alignment
 * factor is 1.
 */
size_t cfi_encoder_begin_cie(struct byte_buffer *out, const struct cfi_encoder_cie *cie);
size_t cfi_encoder_begin_fde(struct byte_buffer *out, const struct cfi_encoder_cie *cie,
                             size_t cie_at, struct cairn_range range);
void cfi_encoder_advance(struct byte_buffer *out, uint64_t distance);
void cfi_encoder_finish_entry(struct byte_buffer *out, size_t at, uint8_t word);

struct cfi_encoder cfi_encoder_open(struct byte_buffer *out, enum cairn_machine machine);

/*
 * Add a row that applies starting at `va`. Rows must be added in address order. The first row
 * begins an FDE.
 */
void cfi_encoder_row(struct cfi_encoder *encoder, uint64_t va, const struct cfi_encoder_row *row);

void cfi_encoder_end(struct cfi_encoder *encoder, uint64_t va);

#endif
