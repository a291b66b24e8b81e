/* SPDX-License-Identifier: MIT */
/*
 * DWARF expressions, as far as call frame information uses them: arithmetic on registers of one
 * frame and on what memory holds.  Locations, pieces and typed values are UNSUPPORTED.
 */
#ifndef CAIRN_UNWIND_CFI_EXPRESSION_H
#define CAIRN_UNWIND_CFI_EXPRESSION_H

#include <cairn.h>

enum {
	EXPRESSION_STACK = 64,  /* values at once */
	EXPRESSION_STEPS = 512, /* operations, for expressions may branch back */
};

struct expression {
	const struct cairn_target *target;
	const struct cairn_registers *frame;
	struct cairn_bytes code;
	const uint64_t *cfa; /* on the stack at first; NULL: it is empty */
};

/*
 * NOT_FOUND: a register is not known; UNREADABLE: memory is not.  Otherwise the code is at fault,
 * at an offset in it.
 */
CAIRN_MUST_USE enum cairn_status expression_evaluate(const struct expression *e, uint64_t *value,
                                                     struct cairn_fault *fault);

#endif
