/* SPDX-License-Identifier: MIT */
/*
 * Finds the caller of an amd64 function by following its code from the pc to a return. Nothing else
 * has to be known about the function, not even its start.
 */
#ifndef CAIRN_UNWIND_STEP_RETURN_PATH_H
#define CAIRN_UNWIND_STEP_RETURN_PATH_H

#include "step.h"

enum {
	RETURN_PATH_STEPS = 4096,
	/* pending branches: those whose other direction is still to be followed */
	RETURN_PATH_WAYS = 64,
	RETURN_PATH_SEEN = 256, /* jump targets remembered to end loops */
	RETURN_EDGE_STEPS = 16,
};

/*
 * Find the caller of an innermost frame that is about to set up its frame pointer or to return, as
 * the next instructions show without a call or jump. Stack alignment is not checked because
 * runtimes need not maintain it.
 */
bool return_edge_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

/* Return true if the frame is at an instruction without successor, such as ud2 or hlt. */
bool return_path_is_cut_off(const struct unwind_context *u);

/*
 * Set *caller to the caller's pc, stack pointer and callee-saved registers, and *cfa to its stack
 * pointer. Return false unless some path leads to a return where the stack is aligned as calls
 * leave it and the address follows a call.
 */
bool return_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

#endif
