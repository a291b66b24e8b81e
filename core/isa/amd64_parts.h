/* SPDX-License-Identifier: MIT */
/* The parts of one instruction of amd64 as they are read: between amd64.c and amd64_effects.c. */
#ifndef CAIRN_ISA_AMD64_PARTS_H
#define CAIRN_ISA_AMD64_PARTS_H

#include "amd64.h"

enum {
	REX_B = 0x1,
	REX_X = 0x2,
	REX_R = 0x4,
	REX_W = 0x8,
};

/* Which opcode map; those after VEX, EVEX and XOP are apart. */
enum amd64_map {
	AMD64_MAP_ONE,
	AMD64_MAP_0F,
	AMD64_MAP_0F38,
	AMD64_MAP_0F3A,
	AMD64_MAP_VEX, /* of VEX and EVEX, and `vex_map` */
	AMD64_MAP_XOP, /* likewise */
};

struct amd64_parts {
	const uint8_t *code;
	size_t size, at;
	bool cut;             /* a byte was wanted that is not there */
	bool small_operand;   /* prefix 66 */
	bool foreign_address; /* prefix 67 */
	bool foreign;         /* that, or a segment: memory that is not followed */
	uint8_t repeat;       /* prefix f2 or f3, else 0; of VEX too */
	uint8_t rex;          /* its bits; of VEX too */
	bool has_rex;
	bool has_operand_prefix; /* 66, f0, f2, f3 or REX */
	enum amd64_map map;
	bool evex;
	uint8_t vex_map, vex_register, vex_width;
	uint8_t opcode, modrm, sib;
	bool has_modrm;
	uint8_t displacement, displacement_size; /* offset and size; 0: there is none */
	uint8_t immediate, immediate_size;       /* likewise */
};

static inline unsigned amd64_mod(const struct amd64_parts *p)
{
	return p->modrm >> 6;
}

/* The middle field of ModRM, as it extends opcodes. */
static inline unsigned amd64_group(const struct amd64_parts *p)
{
	return p->modrm >> 3 & 7;
}

/* The hardware's numbers of both operands of ModRM. */
static inline unsigned amd64_reg(const struct amd64_parts *p)
{
	return amd64_group(p) | (p->rex & REX_R ? 8u : 0);
}

static inline unsigned amd64_rm(const struct amd64_parts *p)
{
	return (p->modrm & 7u) | (p->rex & REX_B ? 8u : 0);
}

/* DWARF number of one of the hardware's. */
static inline uint8_t amd64_dwarf(unsigned number)
{
	static const uint8_t dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	return dwarf[number & 15];
}

/* Which registers change, and how many bytes of memory: amd64_writes.c. */
uint16_t amd64_writes(const struct amd64_parts *parts);
uint16_t amd64_written_bytes(const struct amd64_parts *parts);

/* Its number, sign-extended; 0: there is none. */
int32_t amd64_immediate(const struct amd64_parts *parts);
int32_t amd64_displacement(const struct amd64_parts *parts);

/* Put right what EVEX changes: its displacements of one byte count units that vary. */
void amd64_scale_store(const struct amd64_parts *parts, struct amd64_instruction *instruction);

/* What it does, when all its parts are there: amd64_effects.c. */
void amd64_decode_effects(const struct amd64_parts *parts, struct amd64_instruction *instruction);

#endif
