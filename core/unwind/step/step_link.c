/* SPDX-License-Identifier: MIT */
/*
 * Unwinds an innermost aarch64 frame that no table describes, by the link register. The code from
 * the pc on must prove that it still holds the return address: some path returns through it or
 * saves it before it is overwritten. This covers leaf functions, and functions that have just been
 * entered.
 */
#include "methods.h"

#include "base/bytes.h"
#include "unwind/target/memory.h"

enum {
	LINK_STEPS_MAX = 64,
	INSTRUCTION = 4,
	FP = 29,
	LINK = 30,
	SP = 31,
};

enum link_use {
	LINK_NOT_USED, /* the instruction does not use the link register */
	LINK_IS_LIVE,
	LINK_IS_LOST,
	LINK_IS_UNTOLD,
};

struct link_path {
	uint64_t pc;
	uint64_t moved; /* distance that the stack pointer has moved */
	bool sp_known;
	uint64_t loaded;
};

static uint64_t extend_sign(uint32_t value, unsigned bits)
{
	const uint64_t sign = (uint64_t)1 << (bits - 1);

	return (value ^ sign) - sign;
}

/* Follow ldp or stp of two 64-bit registers, in all addressing forms. */
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

/* Follow ldr or str of one 64-bit register, in all addressing forms. */
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
		 * The field may name the link register or, for example, vector register 30, so it
		 * is unknown whether the instruction overwrites the return address.
		 */
		return LINK_IS_UNTOLD;
	} else if ((code & 31) != SP) {
		path->loaded |= (uint64_t)1 << (code & 31);
	}
	return LINK_NOT_USED;
}

/* Follow one instruction. A conditional branch is assumed not taken. */
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

/* Copy the registers that calls preserve to the caller, except those that the path overwrites. */
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
	u->untold = use == LINK_IS_UNTOLD;
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
