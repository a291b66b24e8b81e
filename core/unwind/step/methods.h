/* SPDX-License-Identifier: MIT */
/*
 * The unwind methods, which methods.c tries in order. Each sets the caller in u->step and returns
 * true, or sets step->stop and returns false.
 */
#ifndef CAIRN_UNWIND_STEP_METHODS_H
#define CAIRN_UNWIND_STEP_METHODS_H

#include "step.h"

bool unwind_step_cfi(struct unwind_context *u);
bool unwind_step_stack_cfi(struct unwind_context *u);
bool unwind_step_go(struct unwind_context *u);

/* Return true if the frame is in a Go function that switches stacks. Its .debug_frame is wrong. */
bool unwind_crosses_go_stacks(struct unwind_context *u);

bool unwind_step_frame_pointer(struct unwind_context *u);

/* The following leave the step unchanged when they return false. */
bool unwind_step_call(struct unwind_context *u);
bool unwind_step_stub(struct unwind_context *u);
bool unwind_step_link_stub(struct unwind_context *u);
bool unwind_step_link(struct unwind_context *u);
bool unwind_step_return(struct unwind_context *u);
bool unwind_step_hidden(struct unwind_context *u);
bool unwind_step_hidden_signal(struct unwind_context *u);
bool unwind_step_trap(struct unwind_context *u);

/* Take a step by analyzing code, for cairn_unwind() with CAIRN_UNWIND_BY_CODE. */
bool unwind_by_code(struct cairn_space *space, const struct cairn_registers *frame,
                    enum cairn_frame_kind kind, struct cairn_step *step);

/*
 * Take a step by searching the stack for a return address. The result is a guess, for frames that
 * no other method can unwind.
 */
bool unwind_scan(struct cairn_space *space, const struct cairn_registers *frame,
                 enum cairn_frame_kind kind, struct cairn_step *step);

#endif
