/* SPDX-License-Identifier: MIT */
/*
 * Evaluates DWARF expressions as call frame information uses them: arithmetic on the registers of
 * one frame and on memory. Locations, pieces and typed values are UNSUPPORTED.
 */
#ifndef CAIRN_UNWIND_TABLES_CFI_EXPRESSION_H
#define CAIRN_UNWIND_TABLES_CFI_EXPRESSION_H

#include <cairn.h>

enum {
	EXPRESSION_STACK = 64,
	EXPRESSION_STEPS = 512, /* operations executed; needed because expressions may loop */
};

struct expression {
	const struct cairn_target *target;
	const struct cairn_registers *frame;
	struct cairn_bytes code;
	/* pushed before the first operation; NULL: start with an empty stack */
	const uint64_t *cfa;
};

/*
 * Evaluate an expression. Return NOT_FOUND if it uses an unknown register and UNREADABLE if it uses
 * unreadable memory. Any other failure is an error in the code, at an offset in it.
 */
CAIRN_MUST_USE enum cairn_status expression_evaluate(const struct expression *e, uint64_t *value,
                                                     struct cairn_fault *fault);

#endif
