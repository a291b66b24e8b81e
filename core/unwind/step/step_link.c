/* SPDX-License-Identifier: MIT */
/* Unwinds PLT stubs, and innermost frames by the link register. */

#include "step.h"

#include "base/bytes.h"
#include "base/target_memory.h"

/*
 * Unwinds a PLT stub that no unwind table describes, on machines whose calls put the return address
 * in a register: aarch64 (AAELF64, "PLT sequences and usage models") and riscv64 (psABI, "Procedure
 * Linkage Table"). All linkers use the same instructions, so the instructions around the pc
 * identify a stub and show whether the first PLT entry has pushed the link register. Without this
 * method, the frame-pointer chain would skip the calling function.
 */

enum {
	INSTRUCTION = 4,
	INSTRUCTIONS_MAX = 5,
	/* number of bytes pushed by stp x16, x30, [sp, #-16]!; x30 is the second word */
	PUSHED = 16,
};

enum word { STP_PUSH, BTI_C, ADRP_X16, LDR_X17, ADD_X16, AUTIA, BR_X17, AUIPC, LD, JALR, NOP };

/* Instructions in stubs. An instruction matches if it equals `value` under `mask`. */
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

/*
 * Return true if the memory around the pc contains the stub such that instruction number `at` of
 * the stub is at the pc.
 */
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

/*
 * Read the stub's return address from the link register, or from the stack if it has been pushed.
 */
static bool read_return_address(const struct unwind_context *u, uint64_t pushed, uint64_t *pc)
{
	const struct cairn_registers *frame = u->frame;

	if (!pushed)
		return unwind_read_link(u, pc);
	if (!unwind_read_word(u, frame->value[u->arch->sp] + PUSHED / 2, pc))
		return false;
	*pc = arch_strip(u->arch, *pc, u->space->signature_bits);
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

/*
 * Unwinds a PLT stub that no unwind table describes, on amd64 and i386 (psABI, section 5.2). All
 * linkers use the same instructions, which show how many words have been pushed since the call:
 *
 *	(endbr64) push $NUMBER; (bnd) jmp FIRST    lazily bound stub
 *	(endbr64) (bnd) jmp *SLOT; ...             stub that jumps to its function
 *	push TABLE; (bnd) jmp *RESOLVER            first entry of the PLT
 */

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
 * Return the number of words pushed between the call and `code`, or NOT_A_STUB. BEFORE bytes before
 * `code` and AFTER bytes from `code` on must be readable.
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

/*
 * Unwinds an innermost aarch64 frame that no unwind table describes, by the link register. The code
 * from the pc on must prove that the link register still contains the return address: some path
 * returns through the register, or saves it before it is overwritten. This covers leaf functions,
 * and functions that have just been entered.
 */

enum {
	LINK_STEPS_MAX = 64,
	FP = 29,
	LINK = 30,
	SP = 31,
};

enum link_use {
	LINK_NOT_USED,
	LINK_IS_LIVE,
	LINK_IS_LOST,
	LINK_IS_UNTOLD,
};

struct link_path {
	uint64_t pc;
	uint64_t moved; /* distance by which the path has moved the stack pointer */
	bool sp_known;
	uint64_t loaded;
};

static uint64_t extend_sign(uint32_t value, unsigned bits)
{
	const uint64_t sign = (uint64_t)1 << (bits - 1);

	return (value ^ sign) - sign;
}

/* Follow ldp or stp of two 64-bit registers in any addressing mode. */
static enum link_use follow_pair(struct link_path *path, uint32_t code)
{
	const unsigned first = code & 31, second = code >> 10 & 31, base = code >> 5 & 31;
	const bool load = code >> 22 & 1, links = first == LINK || second == LINK;
	const uint32_t form = code >> 23 & 7; /* 1: post-index, 2: offset, 3: pre-index */

	if (load && links)
		return LINK_IS_LOST;
	if (load)
		path->loaded |= (uint64_t)1 << first | (uint64_t)1 << second;
	if (!load && links)
		path->sp_known = path->sp_known && path->moved == 0 && form == 3;
	else if (base == SP && (form == 1 || form == 3))
		path->moved += 8 * extend_sign(code >> 15 & 127, 7);
	return !load && links ? LINK_IS_LIVE : LINK_NOT_USED;
}

/* Follow ldr or str of one 64-bit register in any addressing mode. */
static enum link_use follow_single(struct link_path *path, uint32_t code)
{
	const unsigned number = code & 31, base = code >> 5 & 31;
	const bool load = code >> 22 & 1;
	const bool changes = !(code >> 24 & 1) && (code >> 10 & 1);

	if (load && number == LINK)
		return LINK_IS_LOST;
	if (load)
		path->loaded |= (uint64_t)1 << number;
	if (!load && number == LINK)
		path->sp_known = path->sp_known && path->moved == 0 && changes;
	else if (base == SP && changes)
		path->moved += extend_sign(code >> 12 & 511, 9);
	return !load && number == LINK ? LINK_IS_LIVE : LINK_NOT_USED;
}

static enum link_use follow_plain(struct link_path *path, uint32_t code)
{
	if ((code & 0xfe000000u) == 0xa8000000u)
		return follow_pair(path, code);
	if ((code & 0xffa00000u) == 0xf8000000u || (code & 0xff800000u) == 0xf9000000u)
		return follow_single(path, code);
	if ((code & 0xbf8003ffu) == 0x910003ffu) { /* add or sub sp, sp, #number */
		const uint64_t by = (uint64_t)(code >> 10 & 4095) << (code >> 22 & 1 ? 12 : 0);
		path->moved += code >> 30 & 1 ? 0 - by : by;
	} else if ((code & 31) == SP &&
	           ((code & 0x3f000000u) == 0x11000000u || (code & 0x3fe00000u) == 0x0b200000u)) {
		path->sp_known = false;
	} else if ((code & 31) == LINK) {
		/*
		 * The register field may mean the link register or, for example, vector register
		 * 30, so it is unknown whether the instruction overwrites the return address.
		 */
		return LINK_IS_UNTOLD;
	} else if ((code & 31) != SP) {
		path->loaded |= (uint64_t)1 << (code & 31);
	}
	return LINK_NOT_USED;
}

/* Follow one instruction. Assume that a conditional branch is not taken. */
static enum link_use follow_instruction(struct link_path *path, uint32_t code)
{
	const uint64_t at = path->pc;

	path->pc += INSTRUCTION;
	if ((code & 0xfffffc1fu) == 0xd65f0000u) /* ret */
		return (code >> 5 & 31) == LINK ? LINK_IS_LIVE : LINK_IS_UNTOLD;
	if (code == 0xd65f0bffu || code == 0xd65f0fffu) /* retaa, retab */
		return LINK_IS_LIVE;
	if ((code & 0xfc000000u) == 0x14000000u) { /* b */
		path->pc = at + INSTRUCTION * extend_sign(code & 0x3ffffff, 26);
		return LINK_NOT_USED;
	}
	if ((code & 0xfc000000u) == 0x94000000u || (code & 0xfee00000u) == 0xd6200000u)
		return LINK_IS_LOST; /* call */
	if ((code & 0xfe000000u) == 0xd6000000u || (code & 0xffe00000u) == 0xd4200000u ||
	    code >> 16 == 0)
		return LINK_IS_UNTOLD; /* another jump, brk, udf */
	if ((code & 0x7c000000u) == 0x34000000u || (code & 0xff000000u) == 0x54000000u ||
	    (code & 0xfffff01fu) == 0xd503201fu)
		return LINK_NOT_USED; /* conditional branch, or a hint such as bti */
	return follow_plain(path, code);
}

static bool read_instruction(const struct unwind_context *u, uint64_t pc, uint32_t *code)
{
	uint8_t bytes[INSTRUCTION];

	if (!memory_read(&u->space->target, pc, bytes, sizeof(bytes)))
		return false;
	*code = bytes_u32(bytes, false);
	return true;
}

static enum link_use find_link_use(const struct unwind_context *u, struct link_path *path)
{
	uint32_t code;

	for (unsigned i = 0; i < LINK_STEPS_MAX; i++) {
		if (!read_instruction(u, path->pc, &code))
			return LINK_IS_UNTOLD;
		const enum link_use use = follow_instruction(path, code);
		if (use != LINK_NOT_USED)
			return use;
	}
	return LINK_IS_UNTOLD;
}

/* Copy the callee-saved registers to the caller, except for those that the path overwrites. */
static void keep_registers(const struct unwind_context *u, const struct link_path *path,
                           struct cairn_registers *caller)
{
	for (unsigned i = 0; i <= FP; i++)
		if ((u->arch->saved & ~path->loaded) >> i & 1 && register_known(u->frame, i))
			register_set(caller, i, u->frame->value[i]);
}

bool unwind_step_link(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	struct cairn_registers *caller = &u->step->caller;
	uint64_t pc;
	struct link_path path = { .pc = frame->pc, .sp_known = register_known(frame, SP) };

	if (frame->machine != CAIRN_MACHINE_AARCH64 || u->kind != CAIRN_FRAME_PC ||
	    !unwind_read_link(u, &pc))
		return false;
	const enum link_use use = find_link_use(u, &path);
	u->undecided = use == LINK_IS_UNTOLD;
	if (use != LINK_IS_LIVE)
		return false;
	const uint64_t sp = frame->value[SP] + path.moved;
	const bool sp_known = path.sp_known && sp >= frame->value[SP];
	unwind_return_to(u, CAIRN_UNWIND_METHOD_CALL, sp_known ? sp : unwind_substitute_cfa(u), pc);
	if (sp_known)
		register_set(caller, SP, sp);
	keep_registers(u, &path, caller);
	register_set(caller, LINK, pc);
	return true;
}
