/* SPDX-License-Identifier: MIT */
/*
 * The first frame of a stack of amd64, where no table tells it.  A C library without tables (musl's) starts a program
 * and its threads in functions that end in calls which do not return, so that no path of their code leads to their
 * caller.
 */
#ifndef CAIRN_UNWIND_PATHS_FIRST_FRAME_H
#define CAIRN_UNWIND_PATHS_FIRST_FRAME_H

#include "unwind/step/step.h"

enum {
	FIRST_FRAME_WORDS = 64, /* of a stack, in which the way to its first frame is looked for */
};

/* Does the code behind the call end the thread?  Then the frame, which no table describes, is the first of its stack. */
bool first_frame_ends_thread(const struct unwind_context *u);

/*
 * Has the innermost frame's thread just been made?  Then it returns from the system call that made it, with 0, onto a stack
 * where nobody has put a return address.
 */
bool first_frame_is_new_thread(const struct unwind_context *u);

/*
 * The caller's pc and stack pointer, if the lowest return address on the stack leads to the first frame: in code that
 * ends its thread, or at the entry point of the program; or to the trampoline of a signal, whose handler nobody has called.
 */
bool first_frame_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

#endif
