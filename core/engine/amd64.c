/* SPDX-License-Identifier: MIT */
/*
 * Opcode maps after the Intel SDM, volume 2, appendix A, in 64-bit mode.  One letter an opcode:
 *
 *	.  nothing follows           m  ModRM            o  address of 8 bytes
 *	b  1 byte immediate          M  ModRM, 1 byte    w  2 bytes
 *	z  4 bytes (2 with 66)       Z  ModRM, z         q  z, or 8 bytes with REX.W
 *	j  4 bytes, a displacement   F  ModRM, and for /0 and /1 a byte; G likewise z
 *	e  enter, 3 bytes            E  two-byte map     T  map 0f38      U  map 0f3a
 *	V  VEX or EVEX               P  prefix           R  REX           x  not defined
 */
#include "amd64.h"

#include "base/bytes.h"

#include <string.h>

static const char one_byte[] = "mmmmbzxxmmmmbzxE"
			       "mmmmbzxxmmmmbzxx"
			       "mmmmbzPxmmmmbzPx"
			       "mmmmbzPxmmmmbzPx"
			       "RRRRRRRRRRRRRRRR"
			       "................"
			       "xxVmPPPPzZbM...."
			       "bbbbbbbbbbbbbbbb"
			       "MZxMmmmmmmmmmmmm"
			       "..........x....."
			       "oooo....bz......"
			       "bbbbbbbbqqqqqqqq"
			       "MMw.VVMZe.w..bx."
			       "mmmmxxx.mmmmmmmm"
			       "bbbbbbbbjjxb...."
			       "P.PP..FG......mm";

static const char two_byte[] = "mmmmx.....x.xm.x"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmxxxxmmmmmmmm"
			       "........TxUxxxxx"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "MMMMmmm.mmxxmmmm"
			       "jjjjjjjjjjjjjjjj"
			       "mmmmmmmmmmmmmmmm"
			       "...mMmxx...mMmmm"
			       "mmmmmmmmmxMmmmmm"
			       "mmMmMMMm........"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm";

enum {
	REX_B = 0x1,
	REX_R = 0x4,
	REX_W = 0x8,
	HW_SP = 4,
	HW_FP = 5,
	SIB_SP = 0x24, /* base %rsp, no index */
	DWARF_SP = 7,
	DWARF_FP = 6,
};

/* What has been read of one instruction. */
struct cursor {
	const uint8_t *code;
	size_t size, at;
	bool cut;           /* a byte was wanted that is not there */
	bool small_operand; /* prefix 66 */
	uint8_t rex;
	uint8_t map; /* 1: one byte, 2: 0f, 3: 0f38, 4: 0f3a, as seen; VEX counts as 0 */
	uint8_t opcode, modrm, sib;
	size_t displacement, displacement_size; /* offset and size; 0: there is none */
};

static uint8_t next(struct cursor *c)
{
	if (c->at >= c->size) {
		c->cut = true;
		return 0;
	}
	return c->code[c->at++];
}

static void skip(struct cursor *c, size_t count)
{
	if (count > c->size - c->at)
		c->cut = true;
	else
		c->at += count;
}

static void read_modrm(struct cursor *c)
{
	c->modrm = next(c);
	unsigned mod = c->modrm >> 6, rm = c->modrm & 7;
	bool wide = mod == 2 || (mod == 0 && rm == 5);

	if (mod == 3)
		return;
	if (rm == 4) {
		c->sib = next(c);
		wide = wide || (mod == 0 && (c->sib & 7) == 5);
	}
	c->displacement = c->at;
	c->displacement_size = wide ? 4 : mod == 1 ? 1 : 0;
	skip(c, c->displacement_size);
}

/* REX.W counts, and not 66, where both are there. */
static size_t operand(const struct cursor *c)
{
	return c->small_operand && !(c->rex & REX_W) ? 2 : 4;
}

/* What follows the opcode, by its letter; false when that is not known. */
static bool read_tail(struct cursor *c, char letter)
{
	bool test = (c->modrm >> 3 & 7) < 2;

	switch (letter) {
	case '.':
	case 'm':
		return true;
	case 'b':
	case 'M':
		skip(c, 1);
		return true;
	case 'w':
		skip(c, 2);
		return true;
	case 'e':
		skip(c, 3);
		return true;
	case 'j':
		skip(c, 4);
		return true;
	case 'o':
		skip(c, 8);
		return true;
	case 'z':
	case 'Z':
		skip(c, operand(c));
		return true;
	case 'q':
		skip(c, c->rex & REX_W ? 8 : operand(c));
		return true;
	case 'F':
		skip(c, test ? 1 : 0);
		return true;
	case 'G':
		skip(c, test ? operand(c) : 0);
		return true;
	default:
		return false;
	}
}

/* VEX and EVEX: the prefix tells the map; nearly everything has ModRM. */
static bool read_vex(struct cursor *c)
{
	unsigned map = 1;

	if (c->opcode == 0xc5)
		next(c);
	else {
		map = next(c) & 7;
		skip(c, c->opcode == 0xc4 ? 1 : 2);
	}
	c->map = 0;
	c->opcode = next(c);
	if (map == 1 && c->opcode == 0x77)
		return true;
	read_modrm(c);
	skip(c, map == 3 || (map == 1 && two_byte[c->opcode] == 'M') ? 1 : 0);
	return true;
}

static char read_opcode(struct cursor *c)
{
	char letter;

	c->map = 1;
	while (letter = one_byte[c->opcode = next(c)], letter == 'P' || letter == 'R') {
		if (c->cut)
			return 'x';
		c->small_operand = c->small_operand || c->opcode == 0x66;
		c->rex = letter == 'R' ? c->opcode : 0;
	}
	if (letter == 'E') {
		c->map = 2;
		letter = two_byte[c->opcode = next(c)];
	}
	if (letter == 'T' || letter == 'U') {
		c->map = letter == 'T' ? 3 : 4;
		c->opcode = next(c);
		letter = letter == 'T' ? 'm' : 'M';
	}
	return letter;
}

static bool is_branch(const struct cursor *c)
{
	static const uint8_t others[] = { 0xc2, 0xc3, 0xca, 0xcb, 0xcc, 0xcd, 0xcf, 0xf4 };
	unsigned group = c->modrm >> 3 & 7;

	if (c->map == 2)
		return c->opcode >> 4 == 8 || c->opcode == 0x05 || c->opcode == 0x0b;
	if (c->map != 1)
		return false;
	return c->opcode >> 4 == 7 || (c->opcode >= 0xe0 && c->opcode <= 0xe3) ||
	       (c->opcode >= 0xe8 && c->opcode <= 0xeb) ||
	       (c->opcode == 0xff && group >= 2 && group <= 5) ||
	       memchr(others, c->opcode, sizeof(others));
}

/* Pops, pushes of other things, and the usual forms that name %rsp as what is written. */
static bool moves_stack(const struct cursor *c)
{
	static const uint8_t plain[] = { 0x68, 0x6a, 0x8f, 0x9c, 0x9d, 0xc8, 0xc9 };
	unsigned reg = c->modrm >> 3 & 7, rm = c->modrm & 7;
	bool direct = c->modrm >> 6 == 3;

	if (c->map != 1)
		return false;
	if (c->opcode >> 3 == 0x58 >> 3 || memchr(plain, c->opcode, sizeof(plain)))
		return true;
	if (c->opcode == 0x8b || c->opcode == 0x8d || c->opcode == 0x03 || c->opcode == 0x2b)
		return reg == HW_SP && !(c->rex & REX_R);
	if (c->opcode == 0xff)
		return reg == 6;
	bool writes = c->opcode == 0x80 || c->opcode == 0x81 || c->opcode == 0x83 ||
	              c->opcode == 0x89 || c->opcode == 0x01 || c->opcode == 0x29 ||
	              c->opcode == 0x21;
	return writes && direct && rm == HW_SP && !(c->rex & REX_B);
}

static bool sets_frame(const struct cursor *c)
{
	return c->map == 1 && (c->rex & REX_W) && !(c->rex & (REX_R | REX_B)) &&
	       ((c->opcode == 0x89 && c->modrm == 0xe5) || (c->opcode == 0x8b && c->modrm == 0xec));
}

/* mov %reg,displacement(%rsp or %rbp), 64 bits wide. */
static bool is_store(const struct cursor *c)
{
	unsigned mod = c->modrm >> 6, rm = c->modrm & 7;

	if (c->map != 1 || c->opcode != 0x89 || !(c->rex & REX_W) || (c->rex & REX_B) || mod == 3)
		return false;
	return (rm == HW_FP && mod != 0) || (rm == HW_SP && c->sib == SIB_SP);
}

static void read_store(const struct cursor *c, struct amd64_instruction *instruction)
{
	const uint8_t *at = c->code + c->displacement;

	instruction->base = (c->modrm & 7) == HW_FP ? DWARF_FP : DWARF_SP;
	instruction->displacement = 0;
	if (c->displacement_size == 1)
		instruction->displacement = (int8_t)*at;
	else if (c->displacement_size == 4)
		instruction->displacement = (int32_t)bytes_u32(at, false);
}

static enum amd64_kind kind_of(const struct cursor *c)
{
	if (is_store(c))
		return AMD64_STORE;
	if (c->map == 1 && c->opcode >> 3 == 0x50 >> 3)
		return AMD64_PUSH;
	if (sets_frame(c))
		return AMD64_SET_FRAME;
	if (is_branch(c))
		return AMD64_BRANCH;
	return moves_stack(c) ? AMD64_STACK : AMD64_OTHER;
}

bool amd64_decode(const uint8_t *code, size_t size, struct amd64_instruction *instruction)
{
	static const uint8_t dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct cursor c = { .code = code, .size = size < AMD64_LONGEST ? size : AMD64_LONGEST };
	char letter = read_opcode(&c);

	if (letter == 'V') {
		if (!read_vex(&c))
			return false;
	} else {
		if (letter != '.' && strchr("mMZFG", letter))
			read_modrm(&c);
		if (!read_tail(&c, letter))
			return false;
	}
	if (c.cut)
		return false;
	instruction->length = c.at;
	instruction->kind = kind_of(&c);
	instruction->reg = dwarf[(c.opcode & 7) | (c.rex & REX_B ? 8 : 0)];
	if (instruction->kind == AMD64_STORE) {
		instruction->reg = dwarf[(c.modrm >> 3 & 7) | (c.rex & REX_R ? 8 : 0)];
		read_store(&c, instruction);
	}
	return true;
}
