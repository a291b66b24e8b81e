/* SPDX-License-Identifier: MIT */
/*
 * Unwinds a PLT stub that no table describes, on amd64 and i386 (psABI, section 5.2). Linkers write
 * the same instructions everywhere, so they show how much was pushed since the call:
 *
 *	(endbr64) push $number; (bnd) jmp first   a stub that is bound late
 *	(endbr64) (bnd) jmp *slot; ...            one that goes to its function
 *	push table; (bnd) jmp *resolver           the first block of the PLT
 */
#include "methods.h"

#include "unwind/target/memory.h"

enum {
	LONG_PUSH = 6,
	SHORT_PUSH = 5,
	ENDBR = 4,
	LONG_JUMP = 6,
	BEFORE = LONG_PUSH,
	AFTER = ENDBR + 1 + LONG_JUMP,
	NOT_A_STUB = -1,
};

static unsigned skip_bnd(const uint8_t *code)
{
	return code[0] == 0xf2;
}

/* ff 25: absolute or rip-relative; ff a3: relative to %ebx */
static bool is_slot_jump(const uint8_t *code)
{
	code += skip_bnd(code);
	return code[0] == 0xff && (code[1] == 0x25 || code[1] == 0xa3);
}

static bool is_table_push(const uint8_t *code)
{
	return code[0] == 0xff && (code[1] == 0x35 || code[1] == 0xb3);
}

static bool is_jump(const uint8_t *code)
{
	return code[skip_bnd(code)] == 0xe9;
}

static bool is_endbr(const uint8_t *code)
{
	return code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e &&
	       (code[3] == 0xfa || code[3] == 0xfb);
}

/*
 * Return the number of words above the return address at `code`, or NOT_A_STUB. The BEFORE bytes in
 * front of `code` and the AFTER bytes behind it must be readable.
 */
static int count_pushed(const uint8_t *code)
{
	if (is_endbr(code) && (is_slot_jump(code + ENDBR) || code[ENDBR] == 0x68))
		return 0;
	if (is_table_push(code) && is_slot_jump(code + LONG_PUSH))
		return 1;
	if (is_slot_jump(code))
		return is_table_push(code - LONG_PUSH) ? 2 : 0;
	if (code[0] == 0x68 && is_jump(code + SHORT_PUSH))
		return 0;
	return is_jump(code) && code[-SHORT_PUSH] == 0x68 ? 1 : NOT_A_STUB;
}

bool unwind_step_stub(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	uint8_t code[BEFORE + AFTER];
	uint64_t pc;

	if ((frame->machine != CAIRN_MACHINE_AMD64 && frame->machine != CAIRN_MACHINE_I386) ||
	    u->kind != CAIRN_FRAME_PC || !register_known(frame, u->arch->sp) ||
	    !memory_read(&u->space->target, frame->pc - BEFORE, code, sizeof(code)))
		return false;
	const int pushed = count_pushed(code + BEFORE);
	const uint64_t at = frame->value[u->arch->sp] + (uint64_t)pushed * u->arch->word;
	if (pushed == NOT_A_STUB || !unwind_read_word(u, at, &pc) || !unwind_may_be_return(u, pc))
		return false;
	unwind_return_to(u, CAIRN_UNWIND_METHOD_CALL, at + u->arch->word, pc);
	unwind_keep_saved_registers(u, &u->step->caller);
	register_set(&u->step->caller, u->arch->sp, u->step->cfa);
	return true;
}
