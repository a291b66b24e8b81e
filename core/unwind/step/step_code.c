/* SPDX-License-Identifier: MIT */
/*
 * Unwinds a function without any unwind information, for a host that would otherwise guess: by the
 * path of the code to a return, by the path from the function's entry, or by the frame pointer if
 * the host's guess must be wrong.
 */
#include "methods.h"

#include "entry_path.h"
#include "first_frame.h"
#include "return_path.h"

enum { STACK_ALIGNMENT = 16 };

static bool by_code(struct unwind_context *u)
{
	if (!return_edge_follow(u, &u->step->caller, &u->step->cfa) &&
	    !return_path_follow(u, &u->step->caller, &u->step->cfa) &&
	    !(unwind_find_module(u) && entry_path_follow(u, &u->step->caller, &u->step->cfa)) &&
	    !first_frame_follow(u, &u->step->caller, &u->step->cfa))
		return false;
	u->step->method = CAIRN_UNWIND_METHOD_FRAME_POINTER;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	return true;
}

/*
 * Unwind by the frame pointer if the host's guess is wrong. The host takes the word on top of the
 * stack for the return address. In a caller it cannot be: calls keep the stack aligned, and a
 * return address then never lies at an aligned address. In the innermost frame it may be.
 */
static bool by_record(struct unwind_context *u)
{
	if (u->kind != CAIRN_FRAME_RETURN || !register_known(u->frame, u->arch->sp) ||
	    u->frame->value[u->arch->sp] % STACK_ALIGNMENT != 0 || !unwind_step_frame_pointer(u))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	if (u->step->cfa % STACK_ALIGNMENT != 0 || !unwind_is_return(u, u->step->caller.pc))
		return unwind_stop(u, CAIRN_STOP_RA_IMPLAUSIBLE);
	return true;
}

bool unwind_by_code(struct cairn_space *space, const struct cairn_registers *frame,
                    enum cairn_frame_kind kind, struct cairn_step *step)
{
	struct unwind_context u = unwind_begin(space, frame, kind, step);

	*step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
	if (frame->machine != CAIRN_MACHINE_AMD64)
		return unwind_stop(&u, CAIRN_STOP_MACHINE);
	return by_code(&u) || by_record(&u);
}
