/* SPDX-License-Identifier: MIT */
/*
 * Unwinds an innermost frame whose code is unreadable and that no table describes.
 *
 * If the function has no frame yet, or never creates one (such as strlen), the frame chain skips
 * its caller, which only the link register or the top of the stack holds. If it has a frame, the
 * link register may be left from a later call, and the top of the stack may hold anything. Nothing
 * proves either, so the result is marked as a guess unless the link register and the chain agree.
 * An address that leads to code is preferred: the chain continues from there, and no frame is lost.
 */
#include "methods.h"

enum { AMD64_ALIGNMENT = 16 };

/*
 * Read the return address of a function without a frame. A link register that holds the pc was left
 * by a call of this very function. The amd64 ABI aligns the stack before a call, so a return
 * address on top of the stack is never at an aligned address.
 */
static bool read_hidden_return(const struct unwind_context *u, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;
	const uint64_t sp = frame->value[u->arch->sp];

	if (!register_known(frame, u->arch->sp))
		return false;
	if (!u->arch->link)
		return (frame->machine != CAIRN_MACHINE_AMD64 ||
		        sp % AMD64_ALIGNMENT == u->arch->word) &&
		       unwind_read_word(u, sp, pc) && unwind_may_be_return(u, *pc);
	if (!register_known(frame, u->arch->ra))
		return false;
	*pc = arch_strip(frame->machine, frame->value[u->arch->ra], u->space->signature_bits);
	return *pc != frame->pc && unwind_may_be_return(u, *pc);
}

/*
 * Set the caller as it is just after a call, which changes only the link register, or pushes only
 * the return address.
 */
static void fill_called_by(struct unwind_context *u, uint64_t pc)
{
	const uint64_t pushed = u->arch->link ? 0 : u->arch->word;

	*u->step = (struct cairn_step){ .guessed = true };
	unwind_return_to(u, u->arch->link ? CAIRN_UNWIND_METHOD_LINK : CAIRN_UNWIND_METHOD_CALL,
	                 unwind_substitute_cfa(u) + pushed, pc);
	unwind_keep_saved_registers(u, &u->step->caller);
	register_set(&u->step->caller, u->arch->sp, u->frame->value[u->arch->sp] + pushed);
}

bool unwind_step_hidden(struct unwind_context *u)
{
	const struct cairn_step before = *u->step;
	uint64_t pc;

	if (!u->hidden || u->kind != CAIRN_FRAME_PC)
		return false;
	const bool chained = unwind_step_frame_pointer(u), linked = read_hidden_return(u, &pc);
	if (chained && linked && u->arch->link && u->step->caller.pc == pc) {
		u->step->guessed = false;
		return true;
	}
	if (linked)
		fill_called_by(u, pc);
	else if (chained)
		u->step->guessed = true;
	else
		*u->step = before;
	return chained || linked;
}

/*
 * Unwind a trampoline with unreadable code, to which a signal handler returns as to a caller, by
 * the signal frame. The frame chain would skip the interrupted function.
 */
bool unwind_step_hidden_signal(struct unwind_context *u)
{
	if (!u->hidden || u->kind != CAIRN_FRAME_RETURN)
		return false;
	const struct cairn_step before = *u->step;
	*u->step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
	if (unwind_step_signal(u, u->frame->pc))
		return true;
	*u->step = before;
	return false;
}
