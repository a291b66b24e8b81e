/* SPDX-License-Identifier: MIT */
/* Determines the effects of an amd64 instruction, as far as following a stack needs them. */
#include "amd64_parts.h"

enum {
	HW_SP = 4,
	HW_FP = 5,
	SIB_NO_INDEX = 4, /* index field of a SIB byte without index register */
	SCALE_4 = 2,
	SCALE_8 = 3,
	CALL_GROUP = 2,
	JUMP_GROUP = 4,
	PUSH_GROUP = 6,
};

static bool is_wide(const struct amd64_parts *p)
{
	return p->rex & REX_W;
}

static bool is_direct(const struct amd64_parts *p)
{
	return amd64_mod(p) == 3;
}

static bool is_relative(const struct amd64_parts *p)
{
	return amd64_mod(p) == 0 && (p->modrm & 7) == HW_FP;
}

static bool has_sib(const struct amd64_parts *p)
{
	return amd64_mod(p) != 3 && (p->modrm & 7) == HW_SP;
}

static unsigned sib_index(const struct amd64_parts *p)
{
	return (p->sib >> 3 & 7u) | (p->rex & REX_X ? 8u : 0);
}

static bool lacks_base(const struct amd64_parts *p)
{
	return amd64_mod(p) == 0 && (p->sib & 7) == HW_FP;
}

/*
 * Return the DWARF number of the register, if the memory operand is addressed by only that register
 * and a displacement; otherwise AMD64_NONE.
 */
static uint8_t memory_base(const struct amd64_parts *p)
{
	unsigned high = p->rex & REX_B ? 8u : 0;

	if (!p->has_modrm || is_direct(p) || is_relative(p) || p->foreign)
		return AMD64_NONE;
	if (!has_sib(p))
		return amd64_dwarf((p->modrm & 7u) | high);
	if (sib_index(p) != SIB_NO_INDEX || lacks_base(p))
		return AMD64_NONE;
	return amd64_dwarf((p->sib & 7u) | high);
}

static void set_kind(struct amd64_instruction *i, enum amd64_kind kind)
{
	i->kind = (uint8_t)kind;
	i->writes = 0;
}

static void set_address_effect(struct amd64_instruction *i, unsigned reg, unsigned base,
                               int64_t offset)
{
	set_kind(i, AMD64_ADDRESS);
	i->reg = amd64_dwarf(reg);
	i->base = amd64_dwarf(base);
	i->displacement = (int32_t)offset;
	i->width = 0;
}

static void decode_mov(const struct amd64_parts *p, struct amd64_instruction *i)
{
	bool to_rm = p->opcode == 0x89;

	if (!is_wide(p))
		return;
	if (is_direct(p)) {
		set_address_effect(i, to_rm ? amd64_rm(p) : amd64_reg(p),
		                   to_rm ? amd64_reg(p) : amd64_rm(p), 0);
	} else if (i->base != AMD64_NONE) {
		set_kind(i, to_rm ? AMD64_STORE : AMD64_LOAD);
		i->reg = amd64_dwarf(amd64_reg(p));
	}
}

static void decode_lea(const struct amd64_parts *p, struct amd64_instruction *i)
{
	if (!is_wide(p) || p->foreign || is_direct(p))
		return;
	if (i->base != AMD64_NONE) {
		i->reg = amd64_dwarf(amd64_reg(p));
		set_kind(i, AMD64_ADDRESS);
	} else if (is_relative(p)) {
		i->reg = amd64_dwarf(amd64_reg(p));
		set_kind(i, AMD64_HERE);
	}
}

/* Decode add or sub of an immediate. INT32_MIN cannot be negated and is left to AMD64_OTHER. */
static void decode_add_immediate(const struct amd64_parts *p, struct amd64_instruction *i)
{
	int32_t number = amd64_immediate(p);
	unsigned group = amd64_group(p);

	if (!is_wide(p) || !is_direct(p) || (group != 0 && group != 5) || number == INT32_MIN)
		return;
	set_address_effect(i, amd64_rm(p), amd64_rm(p), group == 5 ? -(int64_t)number : number);
}

static void decode_add_register(const struct amd64_parts *p, struct amd64_instruction *i)
{
	bool to_rm = p->opcode == 0x01;

	if (!is_wide(p) || !is_direct(p))
		return;
	set_kind(i, AMD64_SUM);
	i->reg = amd64_dwarf(to_rm ? amd64_rm(p) : amd64_reg(p));
	i->base = amd64_dwarf(to_rm ? amd64_reg(p) : amd64_rm(p));
}

/* Decode movslq (base,index,4),reg, which loads from a table of distances. */
static void decode_table_entry(const struct amd64_parts *p, struct amd64_instruction *i)
{
	if (!is_wide(p) || p->foreign || !has_sib(p) || lacks_base(p) || p->sib >> 6 != SCALE_4 ||
	    sib_index(p) == SIB_NO_INDEX || amd64_displacement(p) != 0)
		return;
	set_kind(i, AMD64_ENTRY);
	i->reg = amd64_dwarf(amd64_reg(p));
	i->base = amd64_dwarf((p->sib & 7u) | (p->rex & REX_B ? 8u : 0));
}

static void decode_indirect_jump(const struct amd64_parts *p, struct amd64_instruction *i)
{
	set_kind(i, AMD64_INDIRECT);
	i->base = AMD64_NONE;
	if (is_direct(p)) {
		i->reg = amd64_dwarf(amd64_rm(p));
	} else if (has_sib(p) && lacks_base(p) && p->sib >> 6 == SCALE_8 && !p->foreign &&
	           sib_index(p) != SIB_NO_INDEX) {
		set_kind(i, AMD64_TABLE_JUMP);
		i->displacement = amd64_displacement(p);
	}
}

/*
 * Decode a push or pop. A 2-byte push or pop has no kind of its own and is only recorded as a
 * change of rsp and of the popped register.
 */
static void decode_push_pop(const struct amd64_parts *p, struct amd64_instruction *i,
                            enum amd64_kind kind, uint8_t reg)
{
	if (p->small_operand && !is_wide(p)) {
		unsigned also = reg == AMD64_NONE ? 0 : 1u << reg;
		i->writes = (uint16_t)(i->writes | 1u << AMD64_RSP | also);
		return;
	}
	set_kind(i, kind);
	i->reg = reg;
	i->base = AMD64_NONE;
	i->width = 0;
}

/* Decode a pop into ModRM. The operand's address is computed after rsp was incremented. */
static void decode_pop_operand(const struct amd64_parts *p, struct amd64_instruction *i)
{
	uint8_t base = i->base;

	decode_push_pop(p, i, AMD64_POP, is_direct(p) ? amd64_dwarf(amd64_rm(p)) : AMD64_NONE);
	i->base = base;
	i->width = base == AMD64_NONE ? 0 : 8;
}

static void decode_group_5(const struct amd64_parts *p, struct amd64_instruction *i)
{
	switch (amd64_group(p)) {
	case CALL_GROUP:
	case CALL_GROUP + 1:
		set_kind(i, AMD64_CALL);
		break;
	case JUMP_GROUP:
		decode_indirect_jump(p, i);
		break;
	case JUMP_GROUP + 1:
		set_kind(i, AMD64_INDIRECT);
		break;
	case PUSH_GROUP:
		decode_push_pop(p, i, AMD64_PUSH, AMD64_NONE);
		break;
	}
}

static void decode_relative_target(const struct amd64_parts *p, struct amd64_instruction *i,
                                   enum amd64_kind kind)
{
	set_kind(i, kind);
	i->displacement = amd64_immediate(p);
}

static bool decode_opcode_range(const struct amd64_parts *p, struct amd64_instruction *i)
{
	unsigned named = (p->opcode & 7u) | (p->rex & REX_B ? 8u : 0);

	if (p->opcode >> 3 == 0x50 >> 3)
		decode_push_pop(p, i, AMD64_PUSH, amd64_dwarf(named));
	else if (p->opcode >> 3 == 0x58 >> 3)
		decode_push_pop(p, i, AMD64_POP, amd64_dwarf(named));
	else if (p->opcode >> 4 == 7)
		decode_relative_target(p, i, AMD64_BRANCH);
	else if (p->opcode >= 0xe0 && p->opcode <= 0xe3) { /* LOOPNE, LOOPE, LOOP, JRCXZ */
		decode_relative_target(p, i, AMD64_BRANCH);
		i->writes = 1 << AMD64_RCX;
	} else {
		return false;
	}
	return true;
}

static void decode_one_byte_opcode(const struct amd64_parts *p, struct amd64_instruction *i)
{
	if (decode_opcode_range(p, i))
		return;
	switch (p->opcode) {
	case 0x01:
	case 0x03:
		decode_add_register(p, i);
		break;
	case 0x63:
		decode_table_entry(p, i);
		break;
	case 0x68:
	case 0x6a:
	case 0x9c:
		decode_push_pop(p, i, AMD64_PUSH, AMD64_NONE);
		break;
	case 0x81:
	case 0x83:
		decode_add_immediate(p, i);
		break;
	case 0x89:
	case 0x8b:
		decode_mov(p, i);
		break;
	case 0x8d:
		decode_lea(p, i);
		break;
	case 0x8f:
		decode_pop_operand(p, i);
		break;
	case 0x9d:
		decode_push_pop(p, i, AMD64_POP, AMD64_NONE);
		break;
	case 0xff:
		decode_group_5(p, i);
		break;
	}
}

/* Decode calls, returns and jumps with a fixed opcode. Return true if it was one. */
static bool decode_control_transfer(const struct amd64_parts *p, struct amd64_instruction *i)
{
	switch (p->opcode) {
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		set_kind(i, AMD64_RETURN);
		return true;
	case 0xe8:
		decode_relative_target(p, i, AMD64_CALL);
		return true;
	case 0xe9:
	case 0xeb:
		decode_relative_target(p, i, AMD64_JUMP);
		return true;
	case 0xf4:
		set_kind(i, AMD64_STOP);
		return true;
	case 0xc8: /* enter */
		i->writes |= 1 << AMD64_RSP | 1 << AMD64_RBP;
		return true;
	case 0xc9:
		set_kind(i, AMD64_LEAVE);
		return true;
	default:
		return false;
	}
}

static void decode_two_byte_opcode(const struct amd64_parts *p, struct amd64_instruction *i)
{
	if (p->opcode >> 4 == 8)
		decode_relative_target(p, i, AMD64_BRANCH);
	else if (p->opcode == 0x0b || p->opcode == 0xb9 || p->opcode == 0xff)
		set_kind(i, AMD64_STOP);
	else if (p->opcode == 0x07 || p->opcode == 0x35) /* sysret, sysexit */
		set_kind(i, AMD64_STOP);
	else if (p->opcode == 0xa0 || p->opcode == 0xa8)
		decode_push_pop(p, i, AMD64_PUSH, AMD64_NONE);
	else if (p->opcode == 0xa1 || p->opcode == 0xa9)
		decode_push_pop(p, i, AMD64_POP, AMD64_NONE);
}

void amd64_decode_effects(const struct amd64_parts *p, struct amd64_instruction *i)
{
	i->writes = amd64_writes(p);
	i->base = memory_base(p);
	i->width = i->base == AMD64_NONE ? 0 : amd64_written_bytes(p);
	i->displacement = p->displacement_size ? amd64_displacement(p) : 0;
	amd64_scale_store(p, i);
	if (p->map == AMD64_MAP_ONE && !decode_control_transfer(p, i))
		decode_one_byte_opcode(p, i);
	else if (p->map == AMD64_MAP_0F)
		decode_two_byte_opcode(p, i);
}
