/* SPDX-License-Identifier: MIT */
/*
 * Where a function of amd64 was called from, found by following its code from where it begins to where
 * it is: for functions that no path leaves, because they end in calls that do not return.
 */
#ifndef CAIRN_UNWIND_PATHS_ENTRY_PATH_H
#define CAIRN_UNWIND_PATHS_ENTRY_PATH_H

#include "unwind/step/step.h"

enum {
	ENTRY_PATH_STACK = 4096, /* bytes of the stack in which the return address is looked for */
	ENTRY_PATH_CODE = 1 << 16, /* bytes between where a function begins and where it is */
	ENTRY_PATH_STEPS =
		1 << 15, /* instructions that are followed, from all beginnings together */
};

/*
 * The caller's pc and stack pointer.  The return address is the lowest word of the stack that follows a
 * direct call, or one through the PLT or GOT of any module, if the code from that call's target on leads to the frame's pc, and the stack pointer is
 * then the frame's.  Other registers are known if calls preserve them, and the path leaves them alone or puts them
 * on the stack.  False when no word of the stack is such an address.
 */
bool entry_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                       uint64_t *cfa);

#endif
