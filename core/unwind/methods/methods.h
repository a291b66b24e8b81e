/* SPDX-License-Identifier: MIT */
/*
 * The ways to the caller, which methods.c tries in their order.  Each fills u->step and returns true when there is a caller; else
 * step->stop gives the reason.
 */
#ifndef CAIRN_UNWIND_METHODS_METHODS_H
#define CAIRN_UNWIND_METHODS_METHODS_H

#include "unwind/step/step.h"

bool unwind_step_cfi(struct unwind_context *u);
bool unwind_step_stack_cfi(struct unwind_context *u);
bool unwind_step_go(struct unwind_context *u);

/* Is the frame in a function of Go whose .debug_frame cannot be right, because the function goes to another stack? */
bool unwind_crosses_go_stacks(struct unwind_context *u);

bool unwind_step_frame_pointer(struct unwind_context *u);

/* These leave the step alone when they return false. */
bool unwind_step_call(struct unwind_context *u);
bool unwind_step_stub(struct unwind_context *u);
bool unwind_step_link_stub(struct unwind_context *u);
bool unwind_step_link(struct unwind_context *u);
bool unwind_step_return(struct unwind_context *u);
bool unwind_step_hidden(struct unwind_context *u);
bool unwind_step_hidden_signal(struct unwind_context *u);
bool unwind_step_trap(struct unwind_context *u);

/* What cairn_unwind() goes by, if it follows the code alone. */
bool unwind_by_code(struct cairn_space *space, const struct cairn_registers *frame,
                    enum cairn_frame_kind kind, struct cairn_step *step);

/* One step by searching the stack: a guess, for frames that nothing else leads on from. */
bool unwind_scan(struct cairn_space *space, const struct cairn_registers *frame,
                 enum cairn_frame_kind kind, struct cairn_step *step);

#endif
