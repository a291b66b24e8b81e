/* SPDX-License-Identifier: MIT */
/*
 * Evaluates the DWARF expressions that call frame information uses: arithmetic on one frame's
 * registers and on memory. Location descriptions, pieces and typed values are UNSUPPORTED.
 */
#ifndef CAIRN_UNWIND_TABLES_CFI_EXPRESSION_H
#define CAIRN_UNWIND_TABLES_CFI_EXPRESSION_H

#include <cairn.h>

enum {
	EXPRESSION_STACK = 64,
	/* maximum number of operations to execute, because expressions may loop */
	EXPRESSION_STEPS = 512,
};

struct expression {
	const struct cairn_target *target;
	const struct cairn_registers *frame;
	struct cairn_bytes code;
	/* value to push before the first operation, or NULL to start with an empty stack */
	const uint64_t *cfa;
};

/*
 * Evaluate an expression. Return NOT_FOUND if it uses an unknown register and UNREADABLE if it
 * reads unreadable memory. For any other status the expression is invalid, and *fault contains the
 * offset of the error.
 */
CAIRN_MUST_USE enum cairn_status expression_evaluate(const struct expression *e, uint64_t *value,
                                                     struct cairn_fault *fault);

#endif
