/* SPDX-License-Identifier: MIT */
/*
 * Recovers callee-saved registers, which SFrame does not record, by analyzing the code (amd64).
 * Each function is followed once, see flow.h, and the result is cached with its module.
 *
 * A part of a function that was moved elsewhere (name.cold) can be analyzed only if the function it
 * belongs to is found. Registers without proof are not reported.
 */
#ifndef CAIRN_UNWIND_CODE_CALLEE_SAVED_H
#define CAIRN_UNWIND_CODE_CALLEE_SAVED_H

#include "unwind/tables/modules.h"

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
