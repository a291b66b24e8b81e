/* SPDX-License-Identifier: MIT */
/*
 * Recognizes the first frame of an amd64 stack that no table identifies. A C library without tables
 * (musl) starts programs and threads in functions that end in calls that do not return, so no path
 * in their code leads to a caller.
 */
#ifndef CAIRN_UNWIND_STEP_FIRST_FRAME_H
#define CAIRN_UNWIND_STEP_FIRST_FRAME_H

#include "step.h"

enum {
	FIRST_FRAME_WORDS = 64,
};

/*
 * Return true if the code after the call ends the thread, so the frame is the first of its stack.
 */
bool first_frame_ends_thread(const struct unwind_context *u);

/*
 * Return true if the innermost frame's thread is new: it is at the return from clone with result 0,
 * and no return address is on its stack.
 */
bool first_frame_is_new_thread(const struct unwind_context *u);

/*
 * Set the caller's pc and stack pointer if the lowest return address on the stack leads to a first
 * frame: to code that ends its thread, to the program's entry point, or to a signal trampoline.
 */
bool first_frame_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

#endif
