/* SPDX-License-Identifier: MIT */
/*
 * Unwinds a PLT stub that no table describes, on machines whose calls put the return address in a
 * register: aarch64 (AAELF64, "PLT sequences and usage models") and riscv64 (psABI, "Procedure
 * Linkage Table"). Linkers write the same instructions everywhere, so the instructions around the
 * pc identify a stub, and whether the first PLT entry has pushed the link register. Without this,
 * the frame chain would skip the calling function.
 */
#include "methods.h"

#include "base/bytes.h"
#include "unwind/target/memory.h"

enum {
	INSTRUCTION = 4,
	INSTRUCTIONS_MAX = 5,
	PUSHED = 16, /* size of stp x16, x30, [sp, #-16]!; x30 is the second word */
};

enum word { STP_PUSH, BTI_C, ADRP_X16, LDR_X17, ADD_X16, AUTIA, BR_X17, AUIPC, LD, JALR, NOP };

/* Instructions of stubs: a code word matches if it equals `value` under `mask`. */
static const struct {
	uint32_t mask, value;
} words[] = {
	[STP_PUSH] = { 0xffffffffu, 0xa9bf7bf0u }, /* stp x16, x30, [sp, #-16]! */
	[BTI_C] = { 0xffffffffu, 0xd503245fu },
	[ADRP_X16] = { 0x9f00001fu, 0x90000010u },
	[LDR_X17] = { 0xffc003ffu, 0xf9400211u }, /* ldr x17, [x16, #n] */
	[ADD_X16] = { 0xffc003ffu, 0x91000210u },
	[AUTIA] = { 0xffffffffu, 0xd503219fu }, /* autia1716 */
	[BR_X17] = { 0xffffffffu, 0xd61f0220u },
	[AUIPC] = { 0xfffu, 0xe17u },          /* auipc t3 */
	[LD] = { 0xfffffu, 0xe3e03u },         /* ld t3, n(t3) */
	[JALR] = { 0xffffffffu, 0x000e0367u }, /* jalr t1, t3 */
	[NOP] = { 0xffffffffu, 0x13u },
};

struct stub {
	enum cairn_machine machine;
	bool pushes;
	unsigned count;
	enum word word[INSTRUCTIONS_MAX];
};

static const struct stub stubs[] = {
	{ CAIRN_MACHINE_AARCH64, true, 5, { STP_PUSH, ADRP_X16, LDR_X17, ADD_X16, BR_X17 } },
	{ CAIRN_MACHINE_AARCH64, false, 5, { BTI_C, ADRP_X16, LDR_X17, ADD_X16, BR_X17 } },
	{ CAIRN_MACHINE_AARCH64, false, 4, { ADRP_X16, LDR_X17, ADD_X16, BR_X17 } },
	{ CAIRN_MACHINE_AARCH64, false, 5, { ADRP_X16, LDR_X17, ADD_X16, AUTIA, BR_X17 } },
	{ CAIRN_MACHINE_RISCV64, false, 4, { AUIPC, LD, JALR, NOP } },
};

/* Return true if memory contains the stub such that its instruction `at` is at the pc. */
static bool matches_at(const struct unwind_context *u, const struct stub *stub, unsigned at)
{
	uint8_t code[INSTRUCTIONS_MAX * INSTRUCTION];

	if (!memory_read(&u->space->target, u->frame->pc - at * INSTRUCTION, code,
	                 stub->count * INSTRUCTION))
		return false;
	for (unsigned i = 0; i < stub->count; i++)
		if ((bytes_u32(code + i * INSTRUCTION, false) & words[stub->word[i]].mask) !=
		    words[stub->word[i]].value)
			return false;
	return true;
}

/* Find the stub around the pc. Set *pushed to the number of bytes pushed before the pc. */
static bool find_stub(const struct unwind_context *u, uint64_t *pushed)
{
	for (size_t i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++)
		for (unsigned at = 0; stubs[i].machine == u->frame->machine && at < stubs[i].count;
		     at++)
			if (matches_at(u, &stubs[i], at)) {
				*pushed = stubs[i].pushes && at > 0 ? PUSHED : 0;
				return true;
			}
	return false;
}

/* Read the stub's return address from the link register, or from where that was pushed. */
static bool read_return_address(const struct unwind_context *u, uint64_t pushed, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;

	if (!pushed)
		return unwind_read_link(u, pc);
	if (!unwind_read_word(u, frame->value[u->arch->sp] + PUSHED / 2, pc))
		return false;
	*pc = arch_strip(frame->machine, *pc, u->space->signature_bits);
	return unwind_may_be_return(u, *pc);
}

bool unwind_step_link_stub(struct unwind_context *u)
{
	uint64_t pushed, pc;

	if (u->kind != CAIRN_FRAME_PC || u->frame->pc % INSTRUCTION != 0 ||
	    !register_known(u->frame, u->arch->sp) || !find_stub(u, &pushed) ||
	    !read_return_address(u, pushed, &pc))
		return false;
	unwind_return_to(u, CAIRN_UNWIND_METHOD_CALL, unwind_substitute_cfa(u) + pushed, pc);
	unwind_keep_saved_registers(u, &u->step->caller);
	register_set(&u->step->caller, u->arch->sp, u->frame->value[u->arch->sp] + pushed);
	return true;
}
