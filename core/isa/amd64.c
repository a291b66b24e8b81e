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
 *	r  ModRM of two registers    I  ModRM; /7 undefined, far CALL and JMP need a memory operand
 *	X  ModRM, and 2 bytes with 66 or f2 (EXTRQ, INSERTQ)
 *	O  ModRM, or an XOP prefix (see is_xop())
 */
#include "amd64.h"

#include "base/bytes.h"

enum {
	REX_B = 0x1,
	REX_X = 0x2,
	REX_R = 0x4,
	REX_W = 0x8,
};

/*
 * Opcode maps. VEX and EVEX instructions share AMD64_MAP_VEX. For them and for XOP, `vex_map`
 * contains the number of the map.
 */
enum amd64_map {
	AMD64_MAP_ONE,
	AMD64_MAP_0F,
	AMD64_MAP_0F38,
	AMD64_MAP_0F3A,
	AMD64_MAP_VEX,
	AMD64_MAP_XOP,
};

struct amd64_parts {
	const uint8_t *code;
	size_t size, at;
	bool cut;             /* the instruction extends past the available bytes */
	bool small_operand;   /* prefix 66 */
	bool foreign_address; /* prefix 67 */
	bool foreign;         /* prefix 67 or a segment prefix: the memory operand is not tracked */
	uint8_t repeat;       /* prefix f2 or f3, or its equivalent in VEX; otherwise 0 */
	uint8_t rex;          /* REX bits, or their equivalents in VEX */
	bool has_rex;
	bool has_operand_prefix; /* the instruction has one of the prefixes 66, f0, f2, f3 or REX */
	enum amd64_map map;
	bool evex;
	uint8_t vex_map, vex_register, vex_width;
	uint8_t opcode, modrm, sib;
	bool has_modrm;
	/* displacement: offset in the instruction, and size in bytes or 0 if there is none */
	uint8_t displacement, displacement_size;
	uint8_t immediate, immediate_size;
};

static bool has_modrm(char letter);
static uint16_t vex_width(const struct amd64_parts *p);
static int32_t amd64_immediate(const struct amd64_parts *p);
static void decode_effects(const struct amd64_parts *p, struct amd64_instruction *i);

static inline unsigned amd64_mod(const struct amd64_parts *p)
{
	return p->modrm >> 6;
}

/* Return the middle field of ModRM, which selects the instruction in an opcode group. */
static inline unsigned amd64_group(const struct amd64_parts *p)
{
	return p->modrm >> 3 & 7;
}

static inline unsigned amd64_reg(const struct amd64_parts *p)
{
	return amd64_group(p) | (p->rex & REX_R ? 8u : 0);
}

static inline unsigned amd64_rm(const struct amd64_parts *p)
{
	return (p->modrm & 7u) | (p->rex & REX_B ? 8u : 0);
}

static inline uint8_t amd64_dwarf(unsigned number)
{
	static const uint8_t dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	return dwarf[number & 15];
}

static const char one_byte_forms[] = "mmmmbzxxmmmmbzxE"
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

static const char two_byte_forms[] = "mmmmx.....x.xm.M"
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

/* Return true for CALL and JMP through a far pointer, in the group of opcode ff. */
static bool is_far(const struct amd64_parts *c)
{
	return amd64_group(c) == 3 || amd64_group(c) == 5;
}

/*
 * Read the bytes after the opcode, as `letter` specifies. Return false if the opcode is undefined.
 */
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

/* Read the bytes after c4, c5, 62 or 8f. The first byte contains the inverted REX bits. */
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
 * Return true if an instruction that begins with the byte `first` can use opcode map `map`. Map 4
 * of EVEX belongs to APX, which is not supported.
 */
static bool has_vex_map(uint8_t first, unsigned map)
{
	enum { VEX = 1 << 1 | 1 << 2 | 1 << 3, EVEX = VEX | 1 << 5 | 1 << 6, XOP = 7 << 8 };
	unsigned maps = first == 0x62 ? EVEX : first == 0x8f ? XOP : VEX;

	return maps >> map & 1;
}

/*
 * Read an instruction with a VEX, EVEX or XOP prefix. It is invalid if 66, f0, f2, f3 or REX
 * precedes that prefix. Nearly all of these instructions have a ModRM byte.
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
	            (map == 1 && (two_byte_forms[c->opcode] == 'M' || c->opcode == 0xc5));
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
 * Read prefixes and opcode. Past the last byte, fetch_code_byte() returns 0, which is not a prefix,
 * so the loop terminates.
 */
static char read_opcode(struct amd64_parts *c)
{
	char letter;

	c->map = AMD64_MAP_ONE;
	while (letter = one_byte_forms[c->opcode = fetch_code_byte(c)],
	       letter == 'P' || letter == 'R') {
		note_prefix(c);
		c->has_rex = letter == 'R';
		c->has_operand_prefix |=
			c->has_rex || c->small_operand || c->repeat || c->opcode == 0xf0;
		c->rex = c->has_rex ? c->opcode & 15 : 0;
	}
	if (letter == 'E') {
		c->map = AMD64_MAP_0F;
		letter = two_byte_forms[c->opcode = fetch_code_byte(c)];
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
 * Return false for instructions whose length is known but whose effects are not: XBEGIN and XABORT
 * (which have the same opcodes as mov), 3DNow!, SSE4a, Padlock, UD1, and accesses to control
 * registers.
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
	decode_effects(&c, instruction);
	return true;
}

/*
 * Determines from the opcode which general registers an instruction may change. Each opcode has one
 * letter:
 *
 *	n  none                        e  the operand that may be memory (ModRM.rm)
 *	g  the register of ModRM       b  both
 *	a  rax                         d  rdx
 *	o  the register in the opcode  x  the register in the opcode, and rax
 *	s  strings: rax, rcx, rsi, rdi w  rax, rdx
 *	c  rax, rbx, rcx, rdx          m  e, depending on the middle field of ModRM
 *	v  e when the result is an integer (no prefix, or 66)
 *	t  g when the result is an integer (prefix f2, f3)
 *
 * Calls, jumps, pushes and pops are `n` here, because they have kinds of their own.
 */

/* clang-format off */
static const char one_byte_results[257] =
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

static const char two_byte_results[257] =
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
 * Return true if the result is a byte. In byte instructions without REX, register numbers 4 to 7
 * mean ah, ch, dh and bh.
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

static bool group_writes(const struct amd64_parts *p)
{
	unsigned group = amd64_group(p);

	if (p->map == AMD64_MAP_0F)
		switch (p->opcode) {
		case 0x1e: /* RDSSP, which is encoded as a hint (NOP) */
			return p->repeat == 0xf3 && group == 1;
		case 0xba:
			return group >= 5;
		default: /* 0xae: RDFSBASE and others; 0xc7: RDRAND and others */
			return true;
		}
	switch (p->opcode) {
	case 0xf6:
	/*
	 * TEST reads its operand, NOT and NEG write it; the others multiply and divide in rax and
	 * rdx
	 */
	case 0xf7:
		return group == 2 || group == 3;
	case 0xfe:
	case 0xff:
		return group < 2;
	default: /* all except CMP */
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

/*
 * Return the registers that an instruction in map 0f3a writes: PEXTR writes its operand, PCMPESTRI
 * and PCMPISTRI write rcx. Their VEX forms write the same registers.
 */
static uint16_t third_map_bits(const struct amd64_parts *p)
{
	if (p->opcode == 0x61 || p->opcode == 0x63)
		return 1 << AMD64_RCX;
	return p->opcode >> 2 == 0x14 >> 2 ? operand_bits(p) : 0;
}

/* Return the general registers that a VEX or EVEX instruction writes; most write none. */
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

static uint16_t amd64_writes(const struct amd64_parts *p)
{
	uint16_t compared =
		p->map == AMD64_MAP_0F && p->opcode >> 1 == 0xb0 >> 1 ? 1 << AMD64_RAX : 0;

	switch (p->map) {
	case AMD64_MAP_ONE:
		return letter_bits(p, one_byte_results[p->opcode]);
	case AMD64_MAP_0F:
		return letter_bits(p, two_byte_results[p->opcode]) | compared;
	case AMD64_MAP_0F38: /* MOVBE, CRC32, ADCX and others are at the end of the map */
		return p->opcode >= 0xf0 ? register_bit(amd64_reg(p)) | operand_bits(p) : 0;
	case AMD64_MAP_0F3A:
		return third_map_bits(p);
	case AMD64_MAP_XOP: /* not reached: has_known_effects() rejects XOP */
	case AMD64_MAP_VEX:
		return vex_bits(p);
	}
	return 0;
}

/*
 * Determines how many bytes an instruction writes to its memory operand. String instructions and
 * others that store through an implicit register are not counted.
 */

enum { X87_EXTENDED = 10, X87_ALL = 108, SSE = 16, EVEX_UNIT_MAX = 64 };

static uint16_t integer_width(const struct amd64_parts *p)
{
	return p->rex & REX_W ? 8 : p->small_operand ? 2 : 4;
}

/* Return the size of an x87 store. Loads and comparisons are treated as stores, too. */
static uint16_t x87_width(const struct amd64_parts *p)
{
	bool environment = amd64_group(p) == 6;

	switch (p->opcode) {
	case 0xd9:
		return environment ? X87_ALL : 4;
	case 0xdd:
		return environment ? X87_ALL : 8;
	case 0xdb:
	case 0xdf:
		return X87_EXTENDED;
	default:
		return 0;
	}
}

/*
 * Return true for comparisons, and for add, or, sub and xor with 0, which serve as fences and
 * stack probes and leave memory unchanged.
 */
static bool keeps_value(const struct amd64_parts *p)
{
	unsigned group = amd64_group(p);

	return group == 7 ||
	       (amd64_immediate(p) == 0 && (group == 0 || group == 1 || group == 5 || group == 6));
}

static uint16_t one_byte_width(const struct amd64_parts *p)
{
	unsigned op = p->opcode, group = amd64_group(p);
	uint16_t width = op & 1 ? integer_width(p) : 1;

	if (op < 0x38)
		return op & 2 ? 0 : width;
	if (op >= 0x80 && op <= 0x83)
		return keeps_value(p) ? 0 : width;
	if (op == 0x86 || op == 0x87 || op == 0x88 || op == 0x89)
		return width;
	if (op == 0x8c || op == 0x8f)
		return 8;
	if (op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 || op >> 2 == 0xd0 >> 2)
		return width;
	if (op >> 3 == 0xd8 >> 3)
		return x87_width(p);
	if (op == 0xf6 || op == 0xf7)
		return group == 2 || group == 3 ? width : 0;
	return (op == 0xfe || op == 0xff) && group < 2 ? width : 0;
}

/* Return the size of a vector store. With prefix f3 or f2, opcode 11 stores only one element. */
static uint16_t vector_width(const struct amd64_parts *p, uint16_t whole)
{
	switch (p->opcode) {
	case 0x11:
		return p->repeat == 0xf3 ? 4 : p->repeat == 0xf2 ? 8 : whole;
	case 0x13:
	case 0x17:
	case 0x7e:
	case 0xd6:
		return 8;
	case 0x29:
	case 0x2b:
	case 0x7f:
	case 0xe7:
		return whole;
	default:
		return 0;
	}
}

static uint16_t two_byte_width(const struct amd64_parts *p)
{
	unsigned op = p->opcode;

	if (op >> 4 == 9)
		return 1;
	switch (op) {
	case 0x00:
	case 0x01:
	case 0x1b:
		return SSE;
	case 0xa4:
	case 0xa5:
	case 0xab:
	case 0xac:
	case 0xad:
	case 0xb0:
	case 0xb1:
	case 0xb3:
	case 0xbb:
	case 0xc0:
	case 0xc1:
	case 0xc3:
		return 8;
	case 0xba:
		return amd64_group(p) >= 5 ? 8 : 0;
	case 0xae:
	case 0xc7:
		return AMD64_WIDE;
	default:
		return vector_width(p, SSE);
	}
}

/*
 * Return the size of a VEX or EVEX store. The result may be too large, and may be nonzero for an
 * instruction that does not store.
 */
static uint16_t vex_width(const struct amd64_parts *p)
{
	unsigned op = p->opcode;

	if (p->vex_map == 1 || p->vex_map == 5)
		return op == 0x91 ? 8 : vector_width(p, p->vex_width);
	if (p->vex_map == 3)
		return op >> 2 == 0x14 >> 2 || op == 0x19 || op == 0x1b || op == 0x1d ||
		                       op == 0x39 || op == 0x3b
		               ? p->vex_width
		               : 0;
	bool narrows = p->repeat == 0xf3 && op >= 0x10 && op <= 0x35;
	bool stores = op == 0x2e || op == 0x2f || op == 0x49 || op == 0x63 || op == 0x8a ||
	              op == 0x8b || op == 0x8e || op >> 4 == 0xe;
	return narrows || stores ? 64 : 0;
}

static uint16_t amd64_written_bytes(const struct amd64_parts *p)
{
	if (!p->has_modrm || amd64_mod(p) == 3)
		return 0;
	switch (p->map) {
	case AMD64_MAP_ONE:
		return one_byte_width(p);
	case AMD64_MAP_0F:
		return two_byte_width(p);
	case AMD64_MAP_0F38: /* MOVBE, MOVDIR64B and others */
		return p->opcode >= 0xf0 ? 8 : 0;
	case AMD64_MAP_0F3A:
		return p->opcode >> 2 == 0x14 >> 2 ? 8 : 0;
	case AMD64_MAP_XOP: /* not reached: has_known_effects() rejects XOP */
	case AMD64_MAP_VEX:
		return vex_width(p);
	}
	return 0;
}

static int32_t signed_number(const uint8_t *at, size_t size)
{
	switch (size) {
	case 1:
		return (int8_t)*at;
	case 2:
		return (int16_t)bytes_u16(at, false);
	case 4:
		return (int32_t)bytes_u32(at, false);
	default:
		return 0;
	}
}

/* Return the sign-extended immediate, or 0 if there is no immediate. */
static int32_t amd64_immediate(const struct amd64_parts *p)
{
	return signed_number(p->code + p->immediate, p->immediate_size);
}

static int32_t amd64_displacement(const struct amd64_parts *p)
{
	return signed_number(p->code + p->displacement, p->displacement_size);
}

/*
 * Scale the one-byte displacement of an EVEX store, which counts units of varying size. The unit is
 * known only for stores of whole vectors. For other stores, widen the range to cover each location
 * that may be written.
 */
static void amd64_scale_store(const struct amd64_parts *p, struct amd64_instruction *i)
{
	bool whole =
		p->vex_map == 1 && !(p->opcode == 0x11 && p->repeat) && i->width == p->vex_width;
	int32_t count = i->displacement;

	if (!p->evex || p->displacement_size != 1)
		return;
	if (whole)
		i->displacement = count * p->vex_width;
	else if (count < 0)
		i->displacement = count * EVEX_UNIT_MAX;
	if (!whole && i->width > 0)
		i->width = (uint16_t)(EVEX_UNIT_MAX +
		                      (EVEX_UNIT_MAX - 1) * (count < 0 ? -count : count));
}

enum {
	HW_SP = 4,
	HW_FP = 5,
	SIB_NO_INDEX = 4, /* value of the SIB index field that means no index register */
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
 * If only a register and a displacement address the memory operand, return the DWARF number of that
 * register. Otherwise return AMD64_NONE.
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

/*
 * Decode add or sub of an immediate. INT32_MIN cannot be negated, so it is treated as AMD64_OTHER.
 */
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

/*
 * Decode movslq (base,index,4),reg, which loads an entry of a jump table with relative addresses.
 */
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
 * Decode a push or pop. A push or pop of 2 bytes becomes an AMD64_OTHER that changes only rsp and
 * the popped register.
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

/* Decode a pop into a ModRM operand, whose address is computed after rsp has been incremented. */
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

/* Decode a call, return or jump with a fixed opcode. Return false for other instructions. */
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

static void decode_effects(const struct amd64_parts *p, struct amd64_instruction *i)
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
