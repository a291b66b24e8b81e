/* SPDX-License-Identifier: MIT */
/*
 * Follows a path from the entry of a function to the pc. The entry is the target of the call that
 * precedes a return address on the stack. Many words on a stack look like return addresses; the
 * right one has the distance from the stack pointer that the code requires.
 */
#include "entry_path.h"

#include "call_target.h"
#include "code_path.h"

#include "base/bytes.h"
#include "unwind/target/memory.h"

/*
 * Find the target of the call before `back`, which must lie in the code of the frame's module and
 * near the frame.
 */
static bool find_start(const struct unwind_context *u, uint64_t back, uint64_t *start)
{
	const struct module *m = u->module;

	if (!unwind_is_in_code(u, back - 1) || !call_target_find(&u->space->target, back, start))
		return false;
	/* compilers put cold parts before all functions, hence before the entry */
	const uint64_t from = u->frame->pc - *start, to = *start - u->frame->pc;
	return module_is_code(m, *start - m->bias) && (from < to ? from : to) < ENTRY_PATH_CODE;
}

/* Return true for padding after a call. It ends the function, so the call does not return. */
static bool is_padding(struct path *p, const struct amd64_instruction *last)
{
	enum { NOP = 0x90, NOP_SIZE = 0x66, NOP_LONG = 0x0f, NOP_LONG_SECOND = 0x1f };
	struct amd64_instruction is;

	if (last->kind != AMD64_CALL || !code_path_decode(p, &is))
		return false;
	const uint8_t *code = p->code + (p->now.pc - p->code_at);
	while (*code == NOP_SIZE || *code == 0x2e)
		code++;
	return *code == NOP || (code[0] == NOP_LONG && code[1] == NOP_LONG_SECOND);
}

/* Return true if the code from `start`, with the return address at `slot`, leads to the frame. */
static bool leads_to_frame(struct path *p, const struct unwind_context *u, uint64_t start,
                           uint64_t slot, unsigned *left)
{
	const uint64_t pc = u->frame->pc, sp = u->frame->value[AMD64_RSP];
	struct amd64_instruction is;

	code_path_start(p, u, start, slot);
	for (; *left > 0; --*left) {
		if (p->now.pc == pc && p->now.sp_known)
			return p->now.sp == sp;
		bool good = code_path_decode(p, &is) && code_path_pass(p, &is) &&
		            (p->now.pc == pc || !is_padding(p, &is));
		if (!good && !code_path_next_way(p))
			return false;
	}
	return false;
}

/*
 * Set the caller's callee-saved registers, from the frame's registers or from where the path saved
 * them.
 */
static void take_kept(const struct path *p, uint64_t slot, struct cairn_registers *caller)
{
	const struct unwind_context *u = p->u;
	uint64_t value;

	for (unsigned i = 0; i < AMD64_REGISTERS; i++)
		if ((u->arch->saved >> i & 1) && i != AMD64_RSP && register_known(u->frame, i) &&
		    p->now.place[i].kind == PLACE_REGISTER && p->now.place[i].at == i)
			register_set(caller, i, u->frame->value[i]);
	for (uint64_t at = slot - CODE_PATH_WORD; at >= p->now.sp && at < slot;
	     at -= CODE_PATH_WORD) {
		const struct place kept = code_path_slot(p, at);
		if (kept.kind == PLACE_REGISTER && kept.at < AMD64_REGISTERS &&
		    (u->arch->saved >> kept.at & 1) &&
		    memory_word(&u->space->target, at, u->frame->big_endian, &value))
			register_set(caller, (unsigned)kept.at, value);
	}
}

bool entry_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                       uint64_t *cfa)
{
	struct path *p = code_path_open(u);
	uint8_t stack[ENTRY_PATH_STACK];
	unsigned left = ENTRY_PATH_STEPS;

	if (!p || !u->module)
		return false;
	const uint64_t sp = u->frame->value[AMD64_RSP];
	size_t size = memory_read_some(&u->space->target, sp, stack, sizeof(stack));
	for (size_t at = 0; at + CODE_PATH_WORD <= size; at += CODE_PATH_WORD) {
		uint64_t back = bytes_u64(stack + at, false), start, slot = sp + at;
		if ((slot + CODE_PATH_WORD) % CODE_PATH_ALIGNMENT != 0 ||
		    !find_start(u, back, &start) || !leads_to_frame(p, u, start, slot, &left))
			continue;
		*cfa = slot + CODE_PATH_WORD;
		*caller = unwind_registers_at(u, back);
		take_kept(p, slot, caller);
		register_set(caller, u->arch->sp, *cfa);
		return true;
	}
	return false;
}
