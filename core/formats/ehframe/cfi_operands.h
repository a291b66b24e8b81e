/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of call frame instructions (DWARF 5, 7.24, and the GNU and AArch64 extensions), and
 * readers of their non-trivial operands. cfi_instructions.c and cfi_rules.c share them.
 *
 *	instruction = 1:2 delta:6 | 2:2 register:6 offset:uleb | 3:2 register:6
 *	            | 0:2 code:6 operands
 */
#ifndef CAIRN_FORMATS_CFI_OPERANDS_H
#define CAIRN_FORMATS_CFI_OPERANDS_H

#include "ehframe.h"

#include "base/reader.h"

enum {
	CFI_HIGH_ADVANCE = 1,
	CFI_HIGH_OFFSET = 2,
	CFI_HIGH_RESTORE = 3,
	CFI_LOW_BITS = 0x3f,
};

enum {
	CFI_NOP = 0x00,
	CFI_SET_LOC = 0x01,
	CFI_ADVANCE_1 = 0x02,
	CFI_ADVANCE_2 = 0x03,
	CFI_ADVANCE_4 = 0x04,
	CFI_OFFSET_EXTENDED = 0x05,
	CFI_RESTORE_EXTENDED = 0x06,
	CFI_UNDEFINED = 0x07,
	CFI_SAME_VALUE = 0x08,
	CFI_REGISTER = 0x09,
	CFI_REMEMBER_STATE = 0x0a,
	CFI_RESTORE_STATE = 0x0b,
	CFI_DEF_CFA = 0x0c,
	CFI_DEF_CFA_REGISTER = 0x0d,
	CFI_DEF_CFA_OFFSET = 0x0e,
	CFI_DEF_CFA_EXPRESSION = 0x0f,
	CFI_EXPRESSION = 0x10,
	CFI_OFFSET_EXTENDED_SF = 0x11,
	CFI_DEF_CFA_SF = 0x12,
	CFI_DEF_CFA_OFFSET_SF = 0x13,
	CFI_VAL_OFFSET = 0x14,
	CFI_VAL_OFFSET_SF = 0x15,
	CFI_VAL_EXPRESSION = 0x16,
	CFI_ADVANCE_8 = 0x1d,                /* defined for MIPS; accepted on every machine */
	CFI_NEGATE_RA_STATE_WITH_PC = 0x2c,  /* AArch64 */
	CFI_NEGATE_RA_STATE = 0x2d,          /* AArch64; on SPARC it is DW_CFA_GNU_window_save */
	CFI_ARGS_SIZE = 0x2e,                /* GNU */
	CFI_NEGATIVE_OFFSET_EXTENDED = 0x2f, /* GNU */
};

static inline void cfi_fail_order(struct reader *in)
{
	reader_fail(in, CAIRN_MALFORMED, "locations do not ascend");
}

/* Convert a delta to bytes of code. */
static inline uint64_t cfi_scale_delta(struct reader *in, const struct ehframe_cie *cie,
                                       uint64_t delta)
{
	const uint64_t align = cie->code_align, bytes = delta * align;

	if (align && bytes / align != delta)
		cfi_fail_order(in);
	return bytes;
}

/* Read an encoded address. Return 0 and set the reader's fault if it is invalid. */
static inline uint64_t cfi_read_location(struct reader *in, const struct ehframe_source *source,
                                         const struct ehframe_cie *cie)
{
	uint64_t address = 0;
	size_t width = 0;
	const enum cairn_status status =
		ehframe_address(source, in->at, cie->encoding, &address, &width);

	if (status != CAIRN_OK)
		reader_fail_at(in, in->at, status, "a location that cannot be read");
	reader_skip(in, width);
	return address;
}

static inline struct cairn_bytes cfi_read_expression(struct reader *in)
{
	uint64_t size = reader_uleb(in);

	if (size > reader_left(in)) {
		reader_fail(in, CAIRN_TRUNCATED, "an expression is cut off");
		size = 0;
	}
	return reader_bytes(in, (size_t)size);
}

#endif
