/* SPDX-License-Identifier: MIT */
/*
 * Finds the caller of an amd64 function by following its code from the entry to the pc. This
 * handles functions without a path to a return because they end in calls that do not return.
 */
#ifndef CAIRN_UNWIND_STEP_ENTRY_PATH_H
#define CAIRN_UNWIND_STEP_ENTRY_PATH_H

#include "step.h"

enum {
	ENTRY_PATH_STACK = 4096,
	ENTRY_PATH_CODE = 1 << 16,
	ENTRY_PATH_STEPS = 1 << 15, /* instructions followed from all candidate entries together */
};

/*
 * Set the caller's pc and stack pointer. The return address is the lowest word on the stack that
 * follows a call (direct, or through the PLT or GOT of any module) such that the code from the
 * call's target leads to the frame's pc with the frame's stack pointer. Callee-saved registers are
 * known if the path leaves them alone or saves them on the stack. Return false if no word
 * qualifies.
 */
bool entry_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                       uint64_t *cfa);

#endif
