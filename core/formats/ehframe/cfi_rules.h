/* SPDX-License-Identifier: MIT */
/*
 * Call frame instructions, run up to one address: where the CFA and the caller's registers are.
 * Expressions are handed out as bytes, for who has registers and memory; nothing is evaluated.
 *
 *	struct cfi_row row;
 *	if (cfi_rules_find(&cie, &fde, va, &row, &fault) == CAIRN_OK)
 *		... row.cfa, row.reg[row.ra]
 */
#ifndef CAIRN_FORMATS_CFI_RULES_H
#define CAIRN_FORMATS_CFI_RULES_H

#include "ehframe.h"

enum {
	CFI_REGISTERS = CAIRN_REGISTERS, /* columns that are kept; those of vectors are not */
	CFI_REMEMBERED = 8,              /* states that are remembered at once */
};

enum cfi_rule_kind {
	CFI_RULE_UNSET,          /* no rule is given: as the calling convention has it */
	CFI_RULE_UNDEFINED,      /* not recoverable */
	CFI_RULE_SAME,           /* not changed */
	CFI_RULE_OFFSET,         /* in memory at CFA + offset */
	CFI_RULE_VAL_OFFSET,     /* CFA + offset itself */
	CFI_RULE_REGISTER,       /* what register `reg` holds, plus offset (for the CFA alone) */
	CFI_RULE_EXPRESSION,     /* in memory at the expression's value */
	CFI_RULE_VAL_EXPRESSION, /* the expression's value itself */
};

struct cfi_register_rule {
	enum cfi_rule_kind kind;
	uint16_t reg;
	int64_t offset;
	struct cairn_bytes expression; /* in the bytes of the CIE or FDE */
};

/* What holds for the addresses [start, end). */
struct cfi_row {
	uint64_t start, end;
	struct cfi_register_rule cfa; /* REGISTER or VAL_EXPRESSION */
	struct cfi_register_rule reg[CFI_REGISTERS];
	unsigned
		ra; /* which of reg[] the return address is in; a column past them takes the last */
	bool mangled; /* it is signed (aarch64) */
};

/*
 * The row of `fde` that holds `va`.  NOT_FOUND when va is outside of it; UNSUPPORTED for
 * instructions of other machines, and where a named limit is exceeded. *row is good if it is OK alone.
 */
CAIRN_MUST_USE enum cairn_status cfi_rules_find(const struct ehframe_cie *cie,
                                                const struct ehframe_fde *fde, uint64_t va,
                                                struct cfi_row *row, struct cairn_fault *fault);

#endif
