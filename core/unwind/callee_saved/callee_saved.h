/* SPDX-License-Identifier: MIT */
/*
 * Callee-saved registers, which SFrame does not hold, from the code itself (amd64): each function
 * is followed once, see flow.h, and what is known of it is kept with its module.
 *
 * A part of a function that is elsewhere (name.cold) is known when it can be found whose part it
 * is.  What is not proven is not reported.
 */
#ifndef CAIRN_UNWIND_CALLEE_SAVED_CALLEE_SAVED_H
#define CAIRN_UNWIND_CALLEE_SAVED_CALLEE_SAVED_H

#include "unwind/modules/modules.h"

/* A frame whose callee-saved registers are wanted; addresses as linked, but for the CFA. */
struct callee_saved_frame {
	const struct cairn_registers *frame;
	uint64_t function; /* the start of its function */
	uint64_t va;       /* in it: the pc, or one before a return address */
	uint64_t cfa;
};

/* Put what is known of the frame's callee-saved registers into `caller`. */
void callee_saved_recover(struct cairn_space *space, struct module *module,
                          const struct callee_saved_frame *at, struct cairn_registers *caller);

#endif
