/* SPDX-License-Identifier: MIT */
/*
 * Runs call frame instructions up to one address to find the CFA and the caller's registers. DWARF
 * expressions are returned unevaluated, because evaluation requires registers and memory.
 *
 *	struct cfi_row row;
 *	if (cfi_rules_find(&cie, &fde, va, &row, &fault) == CAIRN_OK)
 *		... row.cfa, row.reg[row.ra]
 */
#ifndef CAIRN_FORMATS_EHFRAME_CFI_H
#define CAIRN_FORMATS_EHFRAME_CFI_H

#include "ehframe.h"

#include "base/reader.h"

enum {
	/* number of tracked registers; excludes vector registers */
	CFI_REGISTERS = CAIRN_REGISTERS,
	CFI_REMEMBERED = 8, /* maximum depth of the DW_CFA_remember_state stack */
};

enum cfi_rule_kind {
	/* no instruction has set a rule, so the rule of the calling convention applies */
	CFI_RULE_UNSET,
	CFI_RULE_UNDEFINED, /* the value cannot be recovered */
	CFI_RULE_SAME,
	CFI_RULE_OFFSET, /* saved in memory at CFA + offset */
	CFI_RULE_VAL_OFFSET,
	/* the value is in register `reg`; in the CFA rule, `offset` is added to the register */
	CFI_RULE_REGISTER,
	CFI_RULE_EXPRESSION,     /* saved in memory at the address that the expression computes */
	CFI_RULE_VAL_EXPRESSION, /* the expression computes the value */
};

struct cfi_register_rule {
	enum cfi_rule_kind kind;
	uint16_t reg;
	int64_t offset;
	struct cairn_bytes expression; /* borrowed from the CIE or FDE */
};

/* Rules that apply in [start, end). */
struct cfi_row {
	uint64_t start, end;
	struct cfi_register_rule cfa; /* kind is CFI_RULE_REGISTER or CFI_RULE_VAL_EXPRESSION */
	struct cfi_register_rule reg[CFI_REGISTERS];
	/*
	 * index of the return address column in reg[]; columns that exceed reg[] use the last
	 * element
	 */
	unsigned ra;
	bool mangled; /* the return address is signed (aarch64) */
};

/*
 * Find the row of `fde` that contains `va`. Return CAIRN_NOT_FOUND if the FDE does not cover `va`,
 * and CAIRN_UNSUPPORTED for unknown instructions or if more than CFI_REMEMBERED rows are pushed.
 * *row is valid only after CAIRN_OK.
 */
CAIRN_MUST_USE enum cairn_status cfi_rules_find(const struct ehframe_cie *cie,
                                                const struct ehframe_fde *fde, uint64_t va,
                                                struct cfi_row *row, struct cairn_fault *fault);

/* State of the interpreter for call frame instructions. It stops at the row that contains `va`. */

struct cfi_run {
	struct reader in;
	const struct ehframe_cie *cie;
	const struct ehframe_source *source;
	/* initial row, for DW_CFA_restore; NULL while the CIE's instructions run */
	const struct cfi_row *initial;
	struct cfi_row *row;
	struct cfi_register_rule unkept; /* write-only: receives the rules of untracked registers */
	uint64_t va;
	bool done;     /* the row is complete, because it ends after `va` */
	uint64_t next; /* if `done`: start of the next row, possibly past the FDE */
	unsigned remembered;
	/* stack of at most CFI_REMEMBERED rows, of which `remembered` are in use */
	struct cfi_row *memory;
};

/*
 * Iterates over all rows of an FDE in a single run of its instructions. cfi_rules_find(), in
 * contrast, finds one row and runs the instructions from the start for each address.
 *
 *	struct cfi_walk walk;
 *	status = cfi_walk_open(&walk, &cie, &fde, &fault);
 *	while (status == CAIRN_OK && (status = cfi_walk_next(&walk, &fault)) == CAIRN_OK)
 *		... walk.row, which holds for [walk.row.start, walk.row.end)
 */

struct cfi_walk {
	struct cfi_row row;
	struct cfi_run run;
	uint64_t end;
	bool over;
	struct cfi_row first, memory[CFI_REMEMBERED];
};

/*
 * Start a walk. `cie` and `fde` must outlive it. The walk contains pointers to itself, so do not
 * move or copy it.
 */
CAIRN_MUST_USE enum cairn_status cfi_walk_open(struct cfi_walk *walk, const struct ehframe_cie *cie,
                                               const struct ehframe_fde *fde,
                                               struct cairn_fault *fault);

/*
 * Set walk->row to the next row. Rows are adjacent; together they cover the whole FDE. Return
 * CAIRN_NOT_FOUND after the last row. Any other failure ends the walk.
 */
CAIRN_MUST_USE enum cairn_status cfi_walk_next(struct cfi_walk *walk, struct cairn_fault *fault);

/*
 * Iterates over call frame instructions without running them, for code that copies instructions.
 * Reports the bytes of each instruction and the location that it advances to.
 *
 *	struct cfi_instructions all = cfi_instructions_open(&cie, &fde.source, fde.program, fde.start);
 *	struct cfi_instruction is;
 *	while (cfi_instructions_next(&all, &is))
 *		use(is.bytes, is.moves, all.location);
 */

struct cfi_instructions {
	struct reader in;
	const struct ehframe_cie *cie;
	const struct ehframe_source *source;
	uint64_t location; /* location of the next instruction */
};

struct cfi_instruction {
	struct cairn_bytes bytes;
	bool moves; /* the instruction advances the location and has no other effect */
};

struct cfi_instructions cfi_instructions_open(const struct ehframe_cie *cie,
                                              const struct ehframe_source *source, size_t program,
                                              uint64_t start);

/*
 * Read the next instruction into *is. Return false at the end or on failure. all->in.fault has the
 * reason: CAIRN_MALFORMED if locations do not ascend, CAIRN_UNSUPPORTED for an instruction of
 * unknown length.
 */
bool cfi_instructions_next(struct cfi_instructions *all, struct cfi_instruction *is);

/*
 * Opcodes of call frame instructions (DWARF 5, section 7.24, and the GNU and AArch64 extensions),
 * and readers for operands other than plain numbers.
 *
 *	instruction = 1:2 delta:6 | 2:2 register:6 offset:uleb | 3:2 register:6
 *	            | 0:2 code:6 operands
 */

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
	CFI_ADVANCE_8 = 0x1d, /* DW_CFA_MIPS_advance_loc8, accepted on every machine */
	CFI_NEGATE_RA_STATE_WITH_PC = 0x2c, /* AArch64 */
	CFI_NEGATE_RA_STATE = 0x2d,         /* AArch64; on SPARC it is DW_CFA_GNU_window_save */
	CFI_ARGS_SIZE = 0x2e,
	CFI_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

static inline void cfi_fail_order(struct reader *in)
{
	reader_fail(in, CAIRN_MALFORMED, "locations are not in ascending order");
}

/*
 * Convert the operand of an advance instruction from units of the code alignment factor to bytes.
 */
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
		reader_fail_at(in, in->at, status,
		               "the address of DW_CFA_set_loc cannot be decoded");
	reader_skip(in, width);
	return address;
}

static inline struct cairn_bytes cfi_read_expression(struct reader *in)
{
	uint64_t size = reader_uleb(in);

	if (size > reader_left(in)) {
		reader_fail(in, CAIRN_TRUNCATED, "an expression is truncated");
		size = 0;
	}
	return reader_bytes(in, (size_t)size);
}

#endif
