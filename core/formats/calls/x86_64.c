/* SPDX-License-Identifier: MIT */
/*
 *	instruction = legacy-prefix* (REX? opcode | VEX opcode | EVEX opcode | XOP opcode)
 *	              ModRM? SIB? displacement? immediate?
 *
 * after the Intel and AMD manuals, in 64-bit mode.  A letter for each opcode tells what follows it.
 */
#include "x86_64.h"

/* What follows an opcode; the tables below have a letter for each. */
enum shape {
	NONE = '-',    /* nothing */
	BAD = '!',     /* no instruction in 64-bit mode */
	PREFIX = 'p',  /* handled before */
	MODRM = 'm',   /* ModRM */
	MODRM_8 = 'b', /* ModRM and 8 bits */
	MODRM_Z = 'z', /* ModRM and 16 or 32 bits */
	REGS = 'r',    /* ModRM that names registers, whatever its mode */
	IMM_8 = '1',
	IMM_16 = '2',
	IMM_24 = '3',   /* 16 bits and 8 */
	IMM_Z = '4',    /* 16 or 32 bits */
	IMM_32 = '5',   /* 32 bits, whatever the prefixes */
	IMM_V = '8',    /* 16, 32 or 64 bits */
	OFFSET = 'o',   /* an address of 64 bits, or 32 */
	GROUP_3 = 'g',  /* ModRM; with TEST an immediate of 8 bits, */
	GROUP_3Z = 'G', /* or of 16 or 32 */
	GROUP_5 = 'f',  /* ModRM; INC, CALL, JMP, PUSH */
	EXTRQ = 'x',    /* ModRM; with prefixes two times 8 bits */
};

/* clang-format off */
static const char one_byte[257] =
	/* 0 */ "mmmm14!!" "mmmm14!p"
	/* 1 */ "mmmm14!!" "mmmm14!!"
	/* 2 */ "mmmm14p!" "mmmm14p!"
	/* 3 */ "mmmm14p!" "mmmm14p!"
	/* 4 */ "pppppppp" "pppppppp"
	/* 5 */ "--------" "--------"
	/* 6 */ "!!pmpppp" "4z1b----"
	/* 7 */ "11111111" "11111111"
	/* 8 */ "bz!bmmmm" "mmmmmmmm"
	/* 9 */ "--------" "--!-----"
	/* a */ "oooo----" "14------"
	/* b */ "11111111" "88888888"
	/* c */ "bb2-ppbz" "3-2--1!-"
	/* d */ "mmmm!!!-" "mmmmmmmm"
	/* e */ "11111111" "55!1----"
	/* f */ "p-pp--gG" "------mf";

static const char two_bytes[257] =
	/* 0 */ "mmmm!---" "--!-!m-b"
	/* 1 */ "mmmmmmmm" "mmmmmmmm"
	/* 2 */ "rrrr!!!!" "mmmmmmmm"
	/* 3 */ "------!-" "p!p!!!!!"
	/* 4 */ "mmmmmmmm" "mmmmmmmm"
	/* 5 */ "mmmmmmmm" "mmmmmmmm"
	/* 6 */ "mmmmmmmm" "mmmmmmmm"
	/* 7 */ "bbbbmmm-" "xm!!mmmm"
	/* 8 */ "55555555" "55555555"
	/* 9 */ "mmmmmmmm" "mmmmmmmm"
	/* a */ "---mbmmm" "---mbmmm"
	/* b */ "mmmmmmmm" "mmbmmmmm"
	/* c */ "mmbmbbbm" "--------"
	/* d */ "mmmmmmmm" "mmmmmmmm"
	/* e */ "mmmmmmmm" "mmmmmmmm"
	/* f */ "mmmmmmmm" "mmmmmmmm";
/* clang-format on */

/* One instruction while it is read. */
struct decoder {
	const uint8_t *at, *end;
	bool wide;   /* REX.W */
	bool is_16;  /* 66 */
	bool is_a32; /* 67 */
	bool is_f2;  /* F2 */
	bool is_call;
};

static bool skip_operand_bytes(struct decoder *d, size_t size)
{
	if (size > (size_t)(d->end - d->at))
		return false;
	d->at += size;
	return true;
}

static size_t z_size(const struct decoder *d)
{
	return d->is_16 && !d->wide ? 2 : 4;
}

/* A ModRM byte and what it asks for; *modrm is the byte. */
static bool skip_modrm(struct decoder *d, uint8_t *modrm)
{
	if (d->at == d->end)
		return false;
	*modrm = *d->at++;
	unsigned mod = *modrm >> 6, rm = *modrm & 7;
	size_t displacement = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	if (mod == 3)
		return true;
	if (rm == 4) {
		if (d->at == d->end)
			return false;
		if (mod == 0 && (*d->at & 7) == 5)
			displacement = 4;
		d->at++;
	} else if (mod == 0 && rm == 5) {
		displacement = 4;
	}
	return skip_operand_bytes(d, displacement);
}

/* INC, DEC, CALL, CALL far, JMP, JMP far, PUSH. */
static bool skip_group_5(struct decoder *d)
{
	uint8_t modrm;

	if (!skip_modrm(d, &modrm))
		return false;
	unsigned which = modrm >> 3 & 7;
	bool is_far = which == 3 || which == 5;
	d->is_call = which == 2 || which == 3;
	return which != 7 && !(is_far && modrm >> 6 == 3);
}

/* TEST has an immediate, its siblings have none. */
static bool skip_group_3(struct decoder *d, size_t immediate)
{
	uint8_t modrm;

	return skip_modrm(d, &modrm) && ((modrm >> 3 & 7) > 1 || skip_operand_bytes(d, immediate));
}

static bool skip_shape(struct decoder *d, enum shape shape)
{
	uint8_t modrm;

	switch (shape) {
	case NONE:
		return true;
	case BAD:
	case PREFIX:
		return false;
	case MODRM:
		return skip_modrm(d, &modrm);
	case MODRM_8:
		return skip_modrm(d, &modrm) && skip_operand_bytes(d, 1);
	case MODRM_Z:
		return skip_modrm(d, &modrm) && skip_operand_bytes(d, z_size(d));
	case REGS:
	case IMM_8:
		return skip_operand_bytes(d, 1);
	case IMM_16:
		return skip_operand_bytes(d, 2);
	case IMM_24:
		return skip_operand_bytes(d, 3);
	case IMM_Z:
		return skip_operand_bytes(d, z_size(d));
	case IMM_32:
		return skip_operand_bytes(d, 4);
	case IMM_V:
		return skip_operand_bytes(d, d->wide ? 8 : z_size(d));
	case OFFSET:
		return skip_operand_bytes(d, d->is_a32 ? 4 : 8);
	case GROUP_3:
		return skip_group_3(d, 1);
	case GROUP_3Z:
		return skip_group_3(d, z_size(d));
	case GROUP_5:
		return skip_group_5(d);
	case EXTRQ:
		return skip_modrm(d, &modrm) &&
		       (!(d->is_16 || d->is_f2) || skip_operand_bytes(d, 2));
	}
	return false;
}

/* An opcode of the maps behind VEX, EVEX and XOP. */
static bool skip_mapped(struct decoder *d, unsigned map)
{
	uint8_t modrm;

	if (d->at == d->end)
		return false;
	uint8_t opcode = *d->at++;
	if (map == 1 && opcode == 0x77)
		return true;
	bool has_byte = map == 3 || map == 8 ||
	                (map == 1 && (two_bytes[opcode] == MODRM_8 || opcode == 0xc5));
	size_t immediate = map == 10 ? 4 : has_byte;
	return skip_modrm(d, &modrm) && skip_operand_bytes(d, immediate);
}

/* `size` bytes of prefix from the first on, the map in the low bits of the second. */
static bool skip_vector(struct decoder *d, size_t size, unsigned mask, unsigned maps)
{
	unsigned map = d->end - d->at > 1 ? d->at[1] & mask : 0;

	return (maps >> map & 1) && skip_operand_bytes(d, size) && skip_mapped(d, map);
}

static bool skip_two_bytes(struct decoder *d)
{
	uint8_t modrm;

	if (d->at == d->end)
		return false;
	uint8_t opcode = *d->at++;
	if (opcode == 0x38 || opcode == 0x3a)
		return skip_operand_bytes(d, 1) && skip_modrm(d, &modrm) &&
		       (opcode == 0x38 || skip_operand_bytes(d, 1));
	d->is_call = opcode == 0x05; /* SYSCALL */
	return skip_shape(d, (enum shape)two_bytes[opcode]);
}

/* Prefixes, and a REX just before the opcode. */
static void skip_prefixes(struct decoder *d, bool *any)
{
	for (; d->at < d->end; d->at++) {
		switch (*d->at) {
		case 0x66:
			d->is_16 = true;
			break;
		case 0x67:
			d->is_a32 = true;
			break;
		case 0xf2:
			d->is_f2 = true;
			break;
		case 0xf3:
		case 0xf0:
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
			break;
		default:
			if ((*d->at & 0xf0) != 0x40)
				return;
			d->wide = (*d->at & 8) != 0;
			*any = true;
			continue;
		}
		d->wide = false; /* a REX that is not the last counts for nothing */
		*any |= *d->at == 0x66 || *d->at == 0xf2 || *d->at == 0xf3 || *d->at == 0xf0;
	}
}

static bool skip_instruction(struct decoder *d)
{
	enum { VEX_MAPS = 1 << 1 | 1 << 2 | 1 << 3, EVEX_MAPS = VEX_MAPS | 1 << 5 | 1 << 6 };
	bool any = false;

	skip_prefixes(d, &any);
	if (d->at == d->end)
		return false;
	uint8_t opcode = *d->at;
	if (opcode == 0xc5)
		return !any && skip_operand_bytes(d, 2) && skip_mapped(d, 1);
	if (opcode == 0xc4)
		return !any && skip_vector(d, 3, 0x1f, VEX_MAPS);
	if (opcode == 0x62)
		return !any && skip_vector(d, 4, 0x07, EVEX_MAPS);
	if (opcode == 0x8f && d->end - d->at > 1 && (d->at[1] & 0x1f) >= 8)
		return !any && skip_vector(d, 3, 0x1f, 7 << 8);
	d->at++;
	if (opcode == 0x0f)
		return skip_two_bytes(d);
	d->is_call = opcode == 0xe8 || opcode == 0xcd;
	return skip_shape(d, (enum shape)one_byte[opcode]);
}

bool calls_next_x86_64(struct cairn_bytes code, size_t at, struct calls_instruction *instruction)
{
	size_t left = code.size - at;
	struct decoder d = { .at = code.data + at };

	d.end = d.at + (left < CALLS_LENGTH_MAX ? left : CALLS_LENGTH_MAX);
	if (!skip_instruction(&d))
		return false;
	instruction->length = (uint8_t)(d.at - (code.data + at));
	instruction->is_call = d.is_call;
	return true;
}
