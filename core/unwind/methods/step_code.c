/* SPDX-License-Identifier: MIT */
/*
 * One step in a function that nothing describes, for a host that would guess: by where the function's
 * code returns, or how it came to where it is, else along the frame pointers where the host's guess cannot be right.
 */
#include "methods.h"

#include "unwind/paths/entry_path.h"
#include "unwind/paths/first_frame.h"
#include "unwind/paths/return_path.h"

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
 * The host takes the top of the stack for the return address.  In a caller it is not, because calls
 * leave the stack aligned and return addresses are apart from that; in the innermost frame it may be.
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
