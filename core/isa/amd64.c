/* SPDX-License-Identifier: MIT */
/*
 * Measures amd64 instructions and splits them into parts.
 *
 *	instruction = legacy-prefix* (REX? opcode | VEX opcode | EVEX opcode | XOP opcode)
 *	              ModRM? SIB? displacement? immediate?
 *
 * The opcode maps follow the Intel SDM, volume 2, appendix A, and AMD's manuals, for 64-bit mode.
 * Each opcode has one letter:
 *
 *	.  nothing follows           m  ModRM            o  address of 8 bytes (4 with 67)
 *	b  1 byte immediate          M  ModRM, 1 byte    w  2 bytes
 *	z  4 bytes (2 with 66)       Z  ModRM, z         q  z, or 8 bytes with REX.W
 *	j  4 bytes, a displacement   F  ModRM, and for /0 and /1 a byte; G likewise z
 *	e  enter, 3 bytes            E  two-byte map     T  map 0f38      U  map 0f3a
 *	V  VEX or EVEX               P  prefix           R  REX           x  not defined
 *	r  ModRM of registers alone  I  ModRM, /7 undefined; far ones need memory
 *	X  ModRM, and 2 bytes with 66 or f2 (EXTRQ, INSERTQ)
 *	O  ModRM, or XOP by what would be its ModRM
 */
#include "amd64_parts.h"

static const char one_byte[] = "mmmmbzxxmmmmbzxE"
			       "mmmmbzxxmmmmbzxx"
			       "mmmmbzPxmmmmbzPx"
			       "mmmmbzPxmmmmbzPx"
			       "RRRRRRRRRRRRRRRR"
			       "................"
			       "xxVmPPPPzZbM...."
			       "bbbbbbbbbbbbbbbb"
			       "MZxMmmmmmmmmmmmO"
			       "..........x....."
			       "oooo....bz......"
			       "bbbbbbbbqqqqqqqq"
			       "MMw.VVMZe.w..bx."
			       "mmmmxxx.mmmmmmmm"
			       "bbbbbbbbjjxb...."
			       "P.PP..FG......mI";

static const char two_byte[] = "mmmmx.....x.xm.M"
			       "mmmmmmmmmmmmmmmm"
			       "rrrrxxxxmmmmmmmm"
			       "......x.TxUxxxxx"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "MMMMmmm.Xmxxmmmm"
			       "jjjjjjjjjjjjjjjj"
			       "mmmmmmmmmmmmmmmm"
			       "...mMmmm...mMmmm"
			       "mmmmmmmmmmMmmmmm"
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
	c->immediate = (uint8_t)c->at;
	c->immediate_size = (uint8_t)count;
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
	c->displacement = (uint8_t)c->at;
	c->displacement_size = wide ? 4 : mod == 1 ? 1 : 0;
	skip_code_bytes(c, c->displacement_size);
}

/* REX.W overrides the prefix 66. */
static size_t operand_size(const struct amd64_parts *c)
{
	return c->small_operand && !(c->rex & REX_W) ? 2 : 4;
}

static bool has_modrm(char letter)
{
#define BIT(letter) (UINT64_C(1) << ((letter) - 'A'))
	const uint64_t letters = BIT('m') | BIT('M') | BIT('Z') | BIT('F') | BIT('G') | BIT('I') |
	                         BIT('X') | BIT('O');

	return letter >= 'A' && letters >> (letter - 'A') & 1;
#undef BIT
}

/* Return true for CALL and JMP through a pointer with a segment in the group of opcode ff. */
static bool is_far(const struct amd64_parts *c)
{
	return amd64_group(c) == 3 || amd64_group(c) == 5;
}

/* Read the bytes that the opcode's letter calls for. Return false if the opcode is undefined. */
static bool read_after_opcode(struct amd64_parts *c, char letter)
{
	switch (letter) {
	case '.':
	case 'm':
	case 'O':
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
	case 'X':
		skip_immediate(c, c->small_operand || c->repeat == 0xf2 ? 2 : 0);
		return true;
	case 'r':
		c->has_modrm = true;
		c->modrm = fetch_code_byte(c);
		return true;
	case 'I':
		return amd64_group(c) != 7 && !(is_far(c) && amd64_mod(c) == 3);
	case 'F':
		skip_immediate(c, amd64_group(c) < 2 ? 1 : 0);
		return true;
	case 'G':
		skip_immediate(c, amd64_group(c) < 2 ? operand_size(c) : 0);
		return true;
	default:
		return false;
	}
}

/* Read the bytes after c4, c5, 62 or 8f. The first one holds the REX bits inverted. */
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

/*
 * Return true if the map exists for this first byte. Map 4 of EVEX belongs to APX, which is unknown
 * here.
 */
static bool has_vex_map(uint8_t first, unsigned map)
{
	enum { VEX = 1 << 1 | 1 << 2 | 1 << 3, EVEX = VEX | 1 << 5 | 1 << 6, XOP = 7 << 8 };
	unsigned maps = first == 0x62 ? EVEX : first == 0x8f ? XOP : VEX;

	return maps >> map & 1;
}

/*
 * Read VEX, EVEX or XOP. Operand prefixes before them are invalid, and nearly all instructions have
 * ModRM.
 */
static bool read_vex(struct amd64_parts *c)
{
	uint8_t first = c->opcode;

	if (c->has_operand_prefix)
		return false;
	read_vex_prefix(c);
	c->map = first == 0x8f ? AMD64_MAP_XOP : AMD64_MAP_VEX;
	c->opcode = fetch_code_byte(c);
	unsigned map = c->vex_map;
	if (!has_vex_map(first, map))
		return false;
	if (map == 1 && c->opcode == 0x77)
		return true;
	read_modrm(c);
	bool byte = map == 3 || map == 8 ||
	            (map == 1 && (two_byte[c->opcode] == 'M' || c->opcode == 0xc5));
	skip_immediate(c, map == 10 ? 4 : byte);
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

/*
 * Read prefixes and opcode. Past the last byte fetch_code_byte() returns 0, which is not a prefix,
 * so the loop ends.
 */
static char read_opcode(struct amd64_parts *c)
{
	char letter;

	c->map = AMD64_MAP_ONE;
	while (letter = one_byte[c->opcode = fetch_code_byte(c)], letter == 'P' || letter == 'R') {
		note_prefix(c);
		c->has_rex = letter == 'R';
		c->has_operand_prefix |=
			c->has_rex || c->small_operand || c->repeat || c->opcode == 0xf0;
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

/*
 * Return true if 8f begins an XOP instruction. The next byte is either the ModRM of a pop, whose
 * low five bits are below 8, or contains an XOP map number, which is 8 or above.
 */
static bool is_xop(const struct amd64_parts *c)
{
	return c->at < c->size && (c->code[c->at] & 31) >= 8;
}

static bool read_parts(struct amd64_parts *c)
{
	char letter = read_opcode(c);

	if (letter == 'V' || (letter == 'O' && is_xop(c)))
		return read_vex(c) && !c->cut;
	if (has_modrm(letter))
		read_modrm(c);
	return (letter == 'm' || read_after_opcode(c, letter)) && !c->cut;
}

static struct amd64_parts begin_parts(const uint8_t *code, size_t size)
{
	return (struct amd64_parts){ .code = code,
		                     .size = size < AMD64_LONGEST ? size : AMD64_LONGEST };
}

static bool is_call(const struct amd64_parts *c)
{
	if (c->map == AMD64_MAP_ONE)
		return c->opcode == 0xe8 || c->opcode == 0xcd ||
		       (c->opcode == 0xff && (amd64_group(c) & 6) == 2);
	return c->map == AMD64_MAP_0F && c->opcode == 0x05;
}

size_t amd64_measure(const uint8_t *code, size_t size, bool *calls)
{
	struct amd64_parts c = begin_parts(code, size);

	if (!read_parts(&c))
		return 0;
	*calls = is_call(&c);
	return c.at;
}

/*
 * Return false for instructions of known length but unknown effects: those that share opcodes with
 * pop and mov (XBEGIN, XABORT), 3DNow!, SSE4a, Padlock, UD1, control registers.
 */
static bool has_known_effects(const struct amd64_parts *c)
{
	switch (c->map) {
	case AMD64_MAP_ONE:
		return amd64_group(c) == 0 ||
		       (c->opcode != 0x8f && c->opcode != 0xc6 && c->opcode != 0xc7);
	case AMD64_MAP_0F:
		return c->opcode != 0x0f && c->opcode != 0xa6 && c->opcode != 0xa7 &&
		       c->opcode != 0xb9 && !(c->opcode == 0x78 && c->immediate_size > 0) &&
		       !((c->opcode & 0xfc) == 0x20 && amd64_mod(c) != 3);
	case AMD64_MAP_0F38:
	case AMD64_MAP_0F3A:
	case AMD64_MAP_VEX:
		return true;
	case AMD64_MAP_XOP:
		return false;
	}
	return false;
}

bool amd64_decode(const uint8_t *code, size_t size, struct amd64_instruction *instruction)
{
	struct amd64_parts c = begin_parts(code, size);

	if (!read_parts(&c) || !has_known_effects(&c))
		return false;
	*instruction = (struct amd64_instruction){
		.length = (uint8_t)c.at, .kind = AMD64_OTHER, .reg = AMD64_NONE, .base = AMD64_NONE
	};
	amd64_decode_effects(&c, instruction);
	return true;
}
