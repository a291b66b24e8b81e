/* SPDX-License-Identifier: MIT */
/*
 * Where a function of amd64 returns to, found by following its code from where it is to a return:
 * for functions of which nothing is known, not even where they begin.
 */
#ifndef CAIRN_UNWIND_PATHS_RETURN_PATH_H
#define CAIRN_UNWIND_PATHS_RETURN_PATH_H

#include "unwind/step/step.h"

enum {
	RETURN_PATH_STEPS = 4096, /* instructions that are followed, on all paths together */
	RETURN_PATH_WAYS = 64,    /* branches whose other way is still to be followed */
	RETURN_PATH_SEEN = 256,   /* places that were jumped to, so that loops end */
	RETURN_EDGE_STEPS = 16,   /* instructions around a prologue or epilogue */
};

/*
 * The same for an innermost frame that is about to set up its frame pointer, or to return: the next instructions say so,
 * without a call or a jump.  Nothing is asked of the alignment, which run-times need not keep.
 */
bool return_edge_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

/* Is the frame at an instruction that nothing comes after, as ud2 and hlt are? */
bool return_path_is_cut_off(const struct unwind_context *u);

/*
 * The caller's pc, stack pointer, and those registers that calls leave as they were, into *caller;
 * *cfa is the caller's stack pointer.  False when no path leads to a return whose stack is aligned as
 * calls leave it, and whose address is one that a call returns to.
 */
bool return_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

#endif
