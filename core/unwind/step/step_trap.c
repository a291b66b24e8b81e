/* SPDX-License-Identifier: MIT */
/*
 * Unwinds JIT code (amd64) that stopped at an instruction without successor, such as ud2, so that
 * no path leads to a return. If a return address is on top of the stack, and the stack is aligned
 * as after a call, the code has pushed nothing. The result is a guess.
 */
#include "methods.h"

#include "return_path.h"
#include "unwind/target/memory.h"

enum { STACK_ALIGNMENT = 16 };

bool unwind_step_trap(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	const unsigned sp = u->arch->sp, word = u->arch->word;
	uint64_t pc;

	if (frame->machine != CAIRN_MACHINE_AMD64 || u->kind != CAIRN_FRAME_PC ||
	    !unwind_is_made_code(u, frame->pc) || !return_path_is_cut_off(u) ||
	    !register_known(frame, sp) || (frame->value[sp] + word) % STACK_ALIGNMENT != 0 ||
	    !memory_word(&u->space->target, frame->value[sp], false, &pc) ||
	    !unwind_may_be_return(u, pc))
		return false;
	unwind_return_to(u, CAIRN_UNWIND_METHOD_CALL, frame->value[sp] + word, pc);
	unwind_keep_saved_registers(u, &u->step->caller);
	register_set(&u->step->caller, sp, u->step->cfa);
	u->step->guessed = true;
	return true;
}
