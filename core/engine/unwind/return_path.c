/* SPDX-License-Identifier: MIT */
/*
 * A path from the pc to a return.  Compilers have the same frame on all paths, so one that arrives is
 * enough; and a path through a call that does not return runs into code of others, whose return finds a
 * stack that is not aligned.
 */
#include "code_path.h"

#include "engine/target/memory.h"

/* Is the frame at its end: the return address on top, and the stack as a call wants it? */
static bool is_at_return(const struct path *p, uint64_t *pc)
{
	const struct way *w = &p->now;

	return w->sp_known && (w->sp + CODE_PATH_WORD) % CODE_PATH_ALIGNMENT == 0 &&
	       code_path_slot(p, w->sp).kind == PLACE_STACK &&
	       memory_word(&p->u->space->target, w->sp, p->u->frame->big_endian, pc) &&
	       unwind_is_return(p->u, *pc);
}

/* A jump through a pointer, with the frame at its end, calls another function in its place. */
static bool may_return(const struct amd64_instruction *is)
{
	return is->kind == AMD64_RETURN || is->kind == AMD64_INDIRECT;
}

/* To the first return that can be one; its address is *pc. */
static bool follow_to_return(struct path *p, uint64_t *pc)
{
	struct amd64_instruction is;

	while (p->steps++ < RETURN_PATH_STEPS) {
		bool good = code_path_decode(p, &is);
		if (good && may_return(&is) && is_at_return(p, pc))
			return true;
		if (!(good && code_path_pass(p, &is)) && !code_path_next_way(p))
			return false;
	}
	return false;
}

static void take_saved(const struct path *p, struct cairn_registers *caller)
{
	const struct cairn_registers *frame = p->u->frame;
	uint64_t value;

	for (unsigned i = 0; i < AMD64_REGISTERS; i++) {
		const struct place *place = &p->now.place[i];
		if (!(p->u->arch->saved >> i & 1) || i == AMD64_RSP)
			continue;
		if (place->kind == PLACE_REGISTER && register_known(frame, (unsigned)place->at))
			register_set(caller, i, frame->value[place->at]);
		else if (place->kind == PLACE_STACK &&
		         memory_word(&p->u->space->target, place->at, frame->big_endian, &value))
			register_set(caller, i, value);
	}
}

bool return_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa)
{
	struct path *p = code_path_open(u);
	uint64_t pc;

	if (!p)
		return false;
	code_path_start(p, u, u->frame->pc, u->frame->value[AMD64_RSP]);
	if (!follow_to_return(p, &pc))
		return false;
	*cfa = p->now.sp + CODE_PATH_WORD;
	*caller = (struct cairn_registers){ .machine = u->frame->machine, .pc = pc };
	register_set(caller, u->arch->sp, *cfa);
	take_saved(p, caller);
	return true;
}
