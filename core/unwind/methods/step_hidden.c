/* SPDX-License-Identifier: MIT */
/*
 * The caller of an innermost frame whose code cannot be read and that no table describes, on machines whose calls put the
 * return address in a register. Has the function begun a frame of its own? If not, the chain of frames leads past
 * its caller, which the link register alone knows; if it has, that register may hold what a later call left in it. Nothing
 * proves either, so that the answer is marked as a guess unless both agree. The link register is taken where it leads to
 * code: the chain follows from there, and no frame is lost.
 */
#include "methods.h"

#include "unwind/target/memory.h"

static bool is_hidden(const struct unwind_context *u)
{
	uint8_t byte;

	return u->arch->link && u->kind == CAIRN_FRAME_PC &&
	       !memory_read(&u->space->target, u->frame->pc, &byte, 1);
}

/* A link register that holds the pc was left by a call of this very function. */
static bool read_hidden_link(const struct unwind_context *u, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;

	if (!register_known(frame, u->arch->ra) || !register_known(frame, u->arch->sp))
		return false;
	*pc = arch_strip(frame->machine, frame->value[u->arch->ra], u->space->signature_bits);
	return *pc != frame->pc && unwind_may_be_return(u, *pc);
}

/* As after a call that has changed nothing but the link register. */
static void fill_linked_caller(struct unwind_context *u, uint64_t pc)
{
	*u->step = (struct cairn_step){ .guessed = true };
	unwind_return_to(u, CAIRN_UNWIND_METHOD_LINK, unwind_substitute_cfa(u), pc);
	unwind_keep_saved_registers(u, &u->step->caller);
	register_set(&u->step->caller, u->arch->sp, u->frame->value[u->arch->sp]);
}

bool unwind_step_hidden(struct unwind_context *u)
{
	const struct cairn_step before = *u->step;
	uint64_t link;

	if (!is_hidden(u))
		return false;
	const bool chained = unwind_step_frame_pointer(u), linked = read_hidden_link(u, &link);
	if (chained && linked && u->step->caller.pc == link)
		return true;
	if (linked)
		fill_linked_caller(u, link);
	else if (chained)
		u->step->guessed = true;
	else
		*u->step = before;
	return chained || linked;
}
