/* SPDX-License-Identifier: MIT */
/*
 * Runs call frame instructions up to one address to find the CFA and the caller's registers.
 * Expressions are returned as bytes and not evaluated, because that requires registers and memory.
 *
 *	struct cfi_row row;
 *	if (cfi_rules_find(&cie, &fde, va, &row, &fault) == CAIRN_OK)
 *		... row.cfa, row.reg[row.ra]
 */
#ifndef CAIRN_FORMATS_CFI_RULES_H
#define CAIRN_FORMATS_CFI_RULES_H

#include "ehframe.h"

enum {
	/* number of tracked columns; vector registers are not tracked */
	CFI_REGISTERS = CAIRN_REGISTERS,
	CFI_REMEMBERED = 8, /* depth of the stack of DW_CFA_remember_state */
};

enum cfi_rule_kind {
	CFI_RULE_UNSET,     /* no rule; the calling convention decides */
	CFI_RULE_UNDEFINED, /* not recoverable */
	CFI_RULE_SAME,
	CFI_RULE_OFFSET,     /* in memory at CFA + offset */
	CFI_RULE_VAL_OFFSET, /* the value is CFA + offset */
	CFI_RULE_REGISTER,   /* the value is in register `reg`; for the CFA, `offset` is added */
	CFI_RULE_EXPRESSION, /* in memory at the value of the expression */
	CFI_RULE_VAL_EXPRESSION, /* the value of the expression */
};

struct cfi_register_rule {
	enum cfi_rule_kind kind;
	uint16_t reg;
	int64_t offset;
	struct cairn_bytes expression; /* borrowed from the CIE or FDE */
};

/* The rules for addresses in [start, end). */
struct cfi_row {
	uint64_t start, end;
	struct cfi_register_rule cfa; /* CFI_RULE_REGISTER or CFI_RULE_VAL_EXPRESSION */
	struct cfi_register_rule reg[CFI_REGISTERS];
	/* index in reg[] of the return address; columns beyond reg[] use the last element */
	unsigned ra;
	bool mangled; /* the return address is signed (aarch64) */
};

/*
 * Find the row of `fde` that contains `va`. Return CAIRN_NOT_FOUND if the FDE does not cover `va`,
 * and CAIRN_UNSUPPORTED for unknown instructions or if a limit above is exceeded. *row is valid
 * only after CAIRN_OK.
 */
CAIRN_MUST_USE enum cairn_status cfi_rules_find(const struct ehframe_cie *cie,
                                                const struct ehframe_fde *fde, uint64_t va,
                                                struct cfi_row *row, struct cairn_fault *fault);

#endif
