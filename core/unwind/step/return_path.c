/* SPDX-License-Identifier: MIT */
/*
 * Follows a path from the pc to a return. Compilers use the same frame on all paths, so the first
 * path to arrive suffices. A path through a call that does not return runs into another function's
 * code, whose return finds a misaligned stack.
 */
#include "code_path.h"

#include "unwind/target/memory.h"

static bool find_saved(const struct path *p, unsigned reg, uint64_t *value)
{
	const struct cairn_registers *frame = p->u->frame;
	const struct place *place = &p->now.place[reg];

	if (place->kind == PLACE_REGISTER && register_known(frame, (unsigned)place->at)) {
		*value = frame->value[place->at];
		return true;
	}
	return place->kind == PLACE_STACK &&
	       memory_word(&p->u->space->target, place->at, frame->big_endian, value);
}

/*
 * Return true for a return address in JIT code that no call precedes because an interpreter pushed
 * it. The caller's frame pointer must lead to a frame of code.
 */
static bool is_pushed_return(const struct path *p, uint64_t pc)
{
	uint64_t fp, back;

	return unwind_is_made_code(p->u, pc) && find_saved(p, AMD64_RBP, &fp) && fp > p->now.sp &&
	       fp % CODE_PATH_WORD == 0 && fp < UINT64_MAX - CODE_PATH_WORD &&
	       memory_word(&p->u->space->target, fp + CODE_PATH_WORD, p->u->frame->big_endian,
	                   &back) &&
	       (unwind_is_made_code(p->u, back) || unwind_is_return(p->u, back));
}

/*
 * Read the return address on top of the path's stack. The path must not have written it. An address
 * in unreadable code qualifies if `may_be_hidden`.
 */
static bool is_return_on_top(const struct path *p, bool may_be_hidden, uint64_t *pc)
{
	const struct way *w = &p->now;

	return w->sp_known && code_path_slot(p, w->sp).kind == PLACE_STACK &&
	       memory_word(&p->u->space->target, w->sp, p->u->frame->big_endian, pc) &&
	       (unwind_leads_back(p->u, *pc) || is_pushed_return(p, *pc) ||
	        (may_be_hidden && unwind_may_be_return(p->u, *pc)));
}

/*
 * Follow paths up to a return with an aligned stack and a return address on top, which is stored to
 * *pc. An indirect jump at the end of the frame is a tail call and counts as a return.
 */
static bool follow_to_return(struct path *p, uint64_t *pc)
{
	struct amd64_instruction is;

	while (p->steps++ < RETURN_PATH_STEPS) {
		bool good = code_path_decode(p, &is);
		if (good && (is.kind == AMD64_RETURN || is.kind == AMD64_INDIRECT) &&
		    (p->now.sp + CODE_PATH_WORD) % CODE_PATH_ALIGNMENT == 0 &&
		    is_return_on_top(p, false, pc))
			return true;
		if (!(good && code_path_pass(p, &is)) && !code_path_next_way(p))
			return false;
	}
	return false;
}

static void fill_from_path(const struct path *p, uint64_t pc, struct cairn_registers *caller,
                           uint64_t *cfa)
{
	uint64_t value;

	*cfa = p->now.sp + CODE_PATH_WORD;
	*caller = unwind_registers_at(p->u, pc);
	register_set(caller, p->u->arch->sp, *cfa);
	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		if ((p->u->arch->saved >> i & 1) && i != AMD64_RSP && find_saved(p, i, &value))
			register_set(caller, i, value);
}

bool return_path_is_cut_off(const struct unwind_context *u)
{
	uint8_t code[AMD64_LONGEST];
	struct amd64_instruction is;
	const size_t size = memory_read_some(&u->space->target, u->frame->pc, code, sizeof(code));

	return amd64_decode(code, size, &is) && is.kind == AMD64_STOP;
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
	fill_from_path(p, pc, caller, cfa);
	return true;
}

/* Return true at push rbp; mov rbp, rsp of a prologue, where the return address is on top. */
static bool is_frame_begin(struct path *p, const struct amd64_instruction *is)
{
	const uint64_t pc = p->now.pc;
	struct amd64_instruction next;

	if (is->kind != AMD64_PUSH || is->reg != AMD64_RBP || p->now.sp != p->low)
		return false;
	p->now.pc += is->length;
	const bool begins = code_path_decode(p, &next) && next.kind == AMD64_ADDRESS &&
	                    next.reg == AMD64_RBP && next.base == AMD64_RSP &&
	                    next.displacement == 0;
	p->now.pc = pc;
	return begins;
}

bool return_edge_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa)
{
	struct path *p = u->kind == CAIRN_FRAME_PC ? code_path_open(u) : NULL;
	struct amd64_instruction is;
	uint64_t pc;

	if (!p)
		return false;
	code_path_start(p, u, u->frame->pc, u->frame->value[AMD64_RSP]);
	for (unsigned i = 0; i < RETURN_EDGE_STEPS && code_path_decode(p, &is); i++) {
		if ((is.kind == AMD64_RETURN || is_frame_begin(p, &is)) &&
		    is_return_on_top(p, true, &pc)) {
			fill_from_path(p, pc, caller, cfa);
			return true;
		}
		if (is.kind == AMD64_CALL || is.kind == AMD64_JUMP || !code_path_pass(p, &is))
			return false;
	}
	return false;
}
