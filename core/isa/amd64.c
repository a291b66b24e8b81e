/* SPDX-License-Identifier: MIT */
/*
 * How long an instruction of amd64 is, and which parts it has.
 *
 * Opcode maps after the Intel SDM, volume 2, appendix A, in 64-bit mode.  One letter an opcode:
 *
 *	.  nothing follows           m  ModRM            o  address of 8 bytes
 *	b  1 byte immediate          M  ModRM, 1 byte    w  2 bytes
 *	z  4 bytes (2 with 66)       Z  ModRM, z         q  z, or 8 bytes with REX.W
 *	j  4 bytes, a displacement   F  ModRM, and for /0 and /1 a byte; G likewise z
 *	e  enter, 3 bytes            E  two-byte map     T  map 0f38      U  map 0f3a
 *	V  VEX or EVEX               P  prefix           R  REX           x  not defined
 */
#include "amd64_parts.h"

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

static uint8_t fetch_code_byte(struct amd64_parts *c)
{
	if (c->at >= c->size) {
		c->cut = true;
		return 0;
	}
	return c->code[c->at++];
}

static void skip_code_bytes(struct amd64_parts *c, size_t count)
{
	if (count > c->size - c->at)
		c->cut = true;
	else
		c->at += count;
}

static void skip_immediate(struct amd64_parts *c, size_t count)
{
	c->immediate = c->at;
	c->immediate_size = count;
	skip_code_bytes(c, count);
}

static void read_modrm(struct amd64_parts *c)
{
	c->has_modrm = true;
	c->modrm = fetch_code_byte(c);
	unsigned mod = c->modrm >> 6, rm = c->modrm & 7;
	bool wide = mod == 2 || (mod == 0 && rm == 5);

	if (mod == 3)
		return;
	if (rm == 4) {
		c->sib = fetch_code_byte(c);
		wide = wide || (mod == 0 && (c->sib & 7) == 5);
	}
	c->displacement = c->at;
	c->displacement_size = wide ? 4 : mod == 1 ? 1 : 0;
	skip_code_bytes(c, c->displacement_size);
}

/* REX.W counts, and not 66, where both are there. */
static size_t operand_size(const struct amd64_parts *c)
{
	return c->small_operand && !(c->rex & REX_W) ? 2 : 4;
}

/* What follows the opcode, by its letter; false when that is not known. */
static bool read_after_opcode(struct amd64_parts *c, char letter)
{
	bool test = amd64_group(c) < 2;

	switch (letter) {
	case '.':
	case 'm':
		return true;
	case 'b':
	case 'M':
		skip_immediate(c, 1);
		return true;
	case 'w':
		skip_immediate(c, 2);
		return true;
	case 'e':
		skip_immediate(c, 3);
		return true;
	case 'j':
		skip_immediate(c, 4);
		return true;
	case 'o':
		skip_immediate(c, c->foreign_address ? 4 : 8);
		return true;
	case 'z':
	case 'Z':
		skip_immediate(c, operand_size(c));
		return true;
	case 'q':
		skip_immediate(c, c->rex & REX_W ? 8 : operand_size(c));
		return true;
	case 'F':
		skip_immediate(c, test ? 1 : 0);
		return true;
	case 'G':
		skip_immediate(c, test ? operand_size(c) : 0);
		return true;
	default:
		return false;
	}
}

/* The bits of REX are inverted in the first byte behind c4, c5 and 62. */
static void read_vex_prefix(struct amd64_parts *c)
{
	static const uint8_t repeats[] = { 0, 0, 0xf3, 0xf2 };
	uint8_t first = fetch_code_byte(c), second = first;

	c->rex = first & 0x80 ? 0 : REX_R;
	c->vex_map = 1;
	if (c->opcode != 0xc5) {
		c->rex |= (first & 0x40 ? 0 : REX_X) | (first & 0x20 ? 0 : REX_B);
		c->vex_map = first & (c->opcode == 0x62 ? 7 : 31);
		second = fetch_code_byte(c);
		c->rex |= second & 0x80 ? REX_W : 0;
	}
	c->vex_register = ~second >> 3 & 15;
	c->repeat = repeats[second & 3];
	c->vex_width = second & 4 ? 32 : 16;
	if (c->opcode == 0x62) {
		c->evex = true;
		uint8_t third = fetch_code_byte(c);
		c->vex_width = third >> 5 & 2 ? 64 : third >> 5 & 1 ? 32 : 16;
	}
}

/* VEX and EVEX: nearly everything has ModRM.  Map 4 is APX, which is not known. */
static bool read_vex(struct amd64_parts *c)
{
	bool evex = c->opcode == 0x62;

	read_vex_prefix(c);
	c->map = AMD64_MAP_VEX;
	c->opcode = fetch_code_byte(c);
	unsigned map = c->vex_map;
	if (map == 0 || map == 4 || map > (evex ? 6 : 3))
		return false;
	if (map == 1 && c->opcode == 0x77)
		return true;
	read_modrm(c);
	bool byte = map == 3 || (map == 1 && (two_byte[c->opcode] == 'M' || c->opcode == 0xc5));
	skip_immediate(c, byte);
	return true;
}

static void note_prefix(struct amd64_parts *c)
{
	switch (c->opcode) {
	case 0x66:
		c->small_operand = true;
		break;
	case 0x67:
		c->foreign = c->foreign_address = true;
		break;
	case 0x64:
	case 0x65:
		c->foreign = true;
		break;
	case 0xf2:
	case 0xf3:
		c->repeat = c->opcode;
		break;
	}
}

static char read_opcode(struct amd64_parts *c)
{
	char letter;

	c->map = AMD64_MAP_ONE;
	while (letter = one_byte[c->opcode = fetch_code_byte(c)], letter == 'P' || letter == 'R') {
		if (c->cut)
			return 'x';
		note_prefix(c);
		c->has_rex = letter == 'R';
		c->rex = c->has_rex ? c->opcode & 15 : 0;
	}
	if (letter == 'E') {
		c->map = AMD64_MAP_0F;
		letter = two_byte[c->opcode = fetch_code_byte(c)];
	}
	if (letter == 'T' || letter == 'U') {
		c->map = letter == 'T' ? AMD64_MAP_0F38 : AMD64_MAP_0F3A;
		c->opcode = fetch_code_byte(c);
		letter = letter == 'T' ? 'm' : 'M';
	}
	return letter;
}

/* XOP shares 8f with a pop of memory, XBEGIN and XABORT share c6 and c7 with mov. */
static bool is_other_map(const struct amd64_parts *c)
{
	return c->map == AMD64_MAP_ONE && amd64_group(c) != 0 &&
	       (c->opcode == 0x8f || c->opcode == 0xc6 || c->opcode == 0xc7);
}

static bool read_parts(struct amd64_parts *c)
{
	char letter = read_opcode(c);

	if (letter == 'V')
		return read_vex(c);
	if (letter != '.' && strchr("mMZFG", letter))
		read_modrm(c);
	return read_after_opcode(c, letter) && !is_other_map(c);
}

bool amd64_decode(const uint8_t *code, size_t size, struct amd64_instruction *instruction)
{
	struct amd64_parts c = { .code = code,
		                 .size = size < AMD64_LONGEST ? size : AMD64_LONGEST };

	if (!read_parts(&c) || c.cut)
		return false;
	*instruction = (struct amd64_instruction){
		.length = (uint8_t)c.at, .kind = AMD64_OTHER, .reg = AMD64_NONE, .base = AMD64_NONE
	};
	amd64_decode_effects(&c, instruction);
	return true;
}
