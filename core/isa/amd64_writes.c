/* SPDX-License-Identifier: MIT */
/*
 * Determines which general registers an amd64 instruction may change, by its opcode. Each opcode
 * has one letter:
 *
 *	n  none                        e  the operand that may be memory (ModRM.rm)
 *	g  the register of ModRM       b  both
 *	a  rax                         d  rdx
 *	o  the register in the opcode  x  that and rax
 *	s  strings: rax, rcx, rsi, rdi w  rax, rdx
 *	c  rax, rbx, rcx, rdx          m  e, by its middle field
 *	v  e when the result is an integer (no prefix, or 66)
 *	t  g when the result is an integer (prefix f2, f3)
 *
 * Calls, jumps, pushes and pops have their own kinds (amd64_effects.c) and are `n` here.
 */
#include "amd64_parts.h"

/* clang-format off */
static const char one_byte[257] =
	/* 0 */ "eeggaann" "eeggaann"
	/* 1 */ "eeggaann" "eeggaann"
	/* 2 */ "eeggaann" "eeggaann"
	/* 3 */ "eeggaann" "nnnnnnnn"
	/* 4 */ "nnnnnnnn" "nnnnnnnn"
	/* 5 */ "nnnnnnnn" "nnnnnnnn"
	/* 6 */ "nnngnnnn" "ngngssss"
	/* 7 */ "nnnnnnnn" "nnnnnnnn"
	/* 8 */ "mmnmnnbb" "eeggegne"
	/* 9 */ "xxxxxxxx" "adnnnnna"
	/* a */ "aannssss" "nnssssss"
	/* b */ "oooooooo" "oooooooo"
	/* c */ "eennnnee" "nnnnnann"
	/* d */ "eeeennna" "nnnnnnna"
	/* e */ "sssnaann" "nnnnaann"
	/* f */ "nnnnnnmm" "nnnnnnmm";

static const char two_bytes[257] =
	/* 0 */ "ecggnsnn" "nnnnnnnn"
	/* 1 */ "nnnnnnnn" "nnnnnnmn"
	/* 2 */ "eennnnnn" "nnnnttnn"
	/* 3 */ "nwwwccnc" "nnnnnnnn"
	/* 4 */ "gggggggg" "gggggggg"
	/* 5 */ "gnnnnnnn" "nnnnnnnn"
	/* 6 */ "nnnnnnnn" "nnnnnnnn"
	/* 7 */ "nnnnnnnn" "vnnnnnvn"
	/* 8 */ "nnnnnnnn" "nnnnnnnn"
	/* 9 */ "eeeeeeee" "eeeeeeee"
	/* a */ "nncneeee" "nnneeemg"
	/* b */ "eegegggg" "gemegggg"
	/* c */ "bbnengnm" "oooooooo"
	/* d */ "nnnnnnng" "nnnnnnnn"
	/* e */ "nnnnnnnn" "nnnnnnnn"
	/* f */ "nnnnnnnn" "nnnnnnnn";
/* clang-format on */

enum { RAX_RDX = 1 << AMD64_RAX | 1 << AMD64_RDX, HW_LOW_BYTES = 4 };

static uint16_t register_bit(unsigned number)
{
	return (uint16_t)(1u << amd64_dwarf(number));
}

/*
 * Return true if the result is a byte. Without REX, register numbers 4 to 7 then mean ah, ch, dh
 * and bh.
 */
static bool is_byte(const struct amd64_parts *p)
{
	if (p->map == AMD64_MAP_0F)
		return p->opcode >> 4 == 9 || p->opcode == 0xb0 || p->opcode == 0xc0;
	if (p->map != AMD64_MAP_ONE)
		return false;
	if (p->opcode >> 4 == 0xb)
		return p->opcode < 0xb8;
	return !(p->opcode & 1) && p->opcode != 0x8e && p->opcode != 0x8c;
}

static uint16_t register_bits(const struct amd64_parts *p, unsigned number)
{
	uint16_t bits = register_bit(number);

	if (!p->has_rex && is_byte(p) && number >= HW_LOW_BYTES && number < 2 * HW_LOW_BYTES)
		bits |= register_bit(number - HW_LOW_BYTES);
	return bits;
}

static uint16_t operand_bits(const struct amd64_parts *p)
{
	return p->has_modrm && amd64_mod(p) == 3 ? register_bits(p, amd64_rm(p)) : 0;
}

/* Return true if this member of an opcode group writes its operand. */
static bool group_writes(const struct amd64_parts *p)
{
	unsigned group = amd64_group(p);

	if (p->map == AMD64_MAP_0F)
		switch (p->opcode) {
		case 0x1e: /* RDSSP, encoded among the hints */
			return p->repeat == 0xf3 && group == 1;
		case 0xba:
			return group >= 5;
		default: /* 0xae: RDFSBASE and others; 0xc7: RDRAND and others */
			return true;
		}
	switch (p->opcode) {
	case 0xf6:
	case 0xf7: /* 0, 1: TEST; 2: NOT; 3: NEG; the rest multiply and divide */
		return group == 2 || group == 3;
	case 0xfe:
	case 0xff:
		return group < 2;
	default: /* all but CMP */
		return group != 7;
	}
}

static uint16_t group_bits(const struct amd64_parts *p)
{
	bool divides = p->map == AMD64_MAP_ONE && p->opcode >> 1 == 0xf6 >> 1 && amd64_group(p) > 3;
	bool exchanges = p->map == AMD64_MAP_0F && p->opcode == 0xc7;

	return (uint16_t)((divides || exchanges ? RAX_RDX : 0) |
	                  (group_writes(p) ? operand_bits(p) : 0));
}

static uint16_t letter_bits(const struct amd64_parts *p, char letter)
{
	unsigned named = (p->opcode & 7u) | (p->rex & REX_B ? 8u : 0);

	switch (letter) {
	case 'a':
		return 1 << AMD64_RAX;
	case 'b':
		return register_bits(p, amd64_reg(p)) | operand_bits(p);
	case 'c':
		return RAX_RDX | 1 << AMD64_RCX | 1 << AMD64_RBX | operand_bits(p);
	case 'd':
		return 1 << AMD64_RDX;
	case 'e':
		return operand_bits(p);
	case 'g':
		return register_bits(p, amd64_reg(p));
	case 'm':
		return group_bits(p);
	case 'o':
		return register_bits(p, named);
	case 's':
		return 1 << AMD64_RAX | 1 << AMD64_RCX | 1 << AMD64_RSI | 1 << AMD64_RDI |
		       1 << AMD64_R11;
	case 't':
		return p->repeat ? register_bit(amd64_reg(p)) : 0;
	case 'v':
		return p->repeat ? 0 : operand_bits(p);
	case 'w':
		return RAX_RDX | 1 << AMD64_RCX;
	case 'x':
		return (uint16_t)(named ? register_bit(named) | 1 << AMD64_RAX : 0);
	default:
		return 0;
	}
}

/* PEXTR writes its operand, PCMPESTRI and PCMPISTRI write rcx; the same with VEX. */
static uint16_t third_map_bits(const struct amd64_parts *p)
{
	if (p->opcode == 0x61 || p->opcode == 0x63)
		return 1 << AMD64_RCX;
	return p->opcode >> 2 == 0x14 >> 2 ? operand_bits(p) : 0;
}

/* Few VEX and EVEX instructions write general registers. */
static uint16_t vex_bits(const struct amd64_parts *p)
{
	uint16_t reg = register_bit(amd64_reg(p)), rm = operand_bits(p),
		 third = register_bit(p->vex_register);

	if (p->vex_map == 2)
		return p->opcode >= 0xe0 ? reg | rm | third : 0; /* BMI, CMPccXADD */
	if (p->vex_map == 3 && p->opcode == 0xf0)
		return reg; /* RORX */
	if (p->vex_map == 3)
		return third_map_bits(p);
	switch (p->opcode) {
	case 0x2c:
	case 0x2d:
	case 0x50:
	case 0x78:
	case 0x79:
	case 0x93:
	case 0xc5:
	case 0xd7:
		return reg;
	case 0x7e:
		return p->repeat ? 0 : rm;
	default:
		return 0;
	}
}

uint16_t amd64_writes(const struct amd64_parts *p)
{
	uint16_t compared =
		p->map == AMD64_MAP_0F && p->opcode >> 1 == 0xb0 >> 1 ? 1 << AMD64_RAX : 0;

	switch (p->map) {
	case AMD64_MAP_ONE:
		return letter_bits(p, one_byte[p->opcode]);
	case AMD64_MAP_0F:
		return letter_bits(p, two_bytes[p->opcode]) | compared;
	case AMD64_MAP_0F38: /* MOVBE, CRC32, ADCX and others are at the end of the map */
		return p->opcode >= 0xf0 ? register_bit(amd64_reg(p)) | operand_bits(p) : 0;
	case AMD64_MAP_0F3A:
		return third_map_bits(p);
	case AMD64_MAP_XOP: /* has_known_effects() rejects it */
	case AMD64_MAP_VEX:
		return vex_bits(p);
	}
	return 0;
}
