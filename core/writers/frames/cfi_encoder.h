/* SPDX-License-Identifier: MIT */
/*
 * Unwind rules as the bytes of .debug_frame (DWARF 5, 6.4): a CIE for each kind of function, FDEs,
 * and in them what changes from one row to the next.
 */
#ifndef CAIRN_WRITERS_FRAMES_CFI_ENCODER_H
#define CAIRN_WRITERS_FRAMES_CFI_ENCODER_H

#include "base/byte_buffer.h"
#include "unwind/flow/flow.h"

enum { CFI_ENCODER_KINDS = 4 }; /* of functions: a bit for signal frames, one for key B */

/* What is known of a range of code. */
struct cfi_encoder_row {
	struct cairn_rule rule;
	int16_t saved[FLOW_SAVED_REGISTERS]; /* as struct flow_fact has them; amd64 alone */
};

struct cfi_encoder {
	struct byte_buffer *out; /* its limit and its `failed` are the caller's */
	enum cairn_machine machine;
	bool has_cie[CFI_ENCODER_KINDS];
	size_t cie[CFI_ENCODER_KINDS]; /* offsets */
	bool open;                     /* there is an FDE that has rows */
	unsigned kind;                 /* of that one */
	size_t fde;                    /* its offset, */
	uint64_t start, at;            /* its first address, and where its last row begins */
	struct cfi_encoder_row row;    /* the last one */
};

/* What a CIE of ours begins with, up to its instructions. */
struct cfi_encoder_cie {
	unsigned kind; /* signal frames: bit 0; key B: bit 1 */
	uint8_t word;  /* bytes of an address */
	int64_t data_align;
	uint64_t ra; /* the column of the return address */
};

/* Parts of entries, for instructions that come from elsewhere; locations count single bytes. */
size_t cfi_encoder_begin_cie(struct byte_buffer *out, const struct cfi_encoder_cie *cie);
size_t cfi_encoder_begin_fde(struct byte_buffer *out, const struct cfi_encoder_cie *cie,
                             size_t cie_at, struct cairn_range range);
void cfi_encoder_advance(struct byte_buffer *out, uint64_t distance);
/* Pads the entry that began at `at`, and fills in its length. */
void cfi_encoder_finish_entry(struct byte_buffer *out, size_t at, uint8_t word);

struct cfi_encoder cfi_encoder_open(struct byte_buffer *out, enum cairn_machine machine);

/* What holds from `va` on, which is past the row before; the first row begins an FDE. */
void cfi_encoder_row(struct cfi_encoder *encoder, uint64_t va, const struct cfi_encoder_row *row);

/* The FDE, if one has begun, ends before `va`. */
void cfi_encoder_end(struct cfi_encoder *encoder, uint64_t va);

#endif
