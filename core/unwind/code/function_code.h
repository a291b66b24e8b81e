/* SPDX-License-Identifier: MIT */
/*
 * Analyzes the code of one function with its rows, its parts that lie elsewhere, and its jump
 * tables. Code and jump tables are read from the target. Memory that is needed across a read
 * belongs to the space or the module, because the host may leave the read by an exception.
 */
#ifndef CAIRN_UNWIND_CODE_FUNCTION_CODE_H
#define CAIRN_UNWIND_CODE_FUNCTION_CODE_H

#include "flow.h"

#include "unwind/tables/modules.h"

enum {
	FUNCTION_CODE_WINDOW = 1 << 16,
	/* bytes of a module's code searched for owners of parts */
	FUNCTION_CODE_SCAN_MAX = 1 << 23,
};

struct function_code_work {
	uint8_t bytes[FUNCTION_CODE_WINDOW];
	uint32_t scanned;
};

enum function_code_outcome {
	FUNCTION_CODE_UNKNOWN,
	FUNCTION_CODE_UNTOUCHED, /* PLT entry: saves and changes no register */
	FUNCTION_CODE_ANALYZED,
};

/* Analyze the function that begins at `start`, as named by a rule. space->flow must exist. */
enum function_code_outcome function_code_analyze(struct cairn_space *space, struct module *module,
                                                 struct function_code_work *work, uint64_t start);

/*
 * Recovers callee-saved registers, which SFrame does not record, by analyzing the code (amd64).
 * Each function is followed once, see flow.h, and the result is cached with its module.
 *
 * A part of a function that was moved elsewhere (name.cold) can be analyzed only if the function it
 * belongs to is found. Registers without proof are not reported.
 */

/*
 * A frame whose callee-saved registers are wanted. Addresses are linked addresses, except for the
 * CFA.
 */
struct callee_saved_frame {
	const struct cairn_registers *frame;
	uint64_t function;
	uint64_t va; /* pc, or an address before a return address */
	uint64_t cfa;
};

/* Set the frame's callee-saved registers in `caller`, as far as they can be proven. */
void callee_saved_recover(struct cairn_space *space, struct module *module,
                          const struct callee_saved_frame *at, struct cairn_registers *caller);

#endif
