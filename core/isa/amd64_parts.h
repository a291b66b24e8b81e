/* SPDX-License-Identifier: MIT */
/* The parts of an amd64 instruction, as amd64.c reads them and amd64_effects.c interprets them. */
#ifndef CAIRN_ISA_AMD64_PARTS_H
#define CAIRN_ISA_AMD64_PARTS_H

#include "amd64.h"

enum {
	REX_B = 0x1,
	REX_X = 0x2,
	REX_R = 0x4,
	REX_W = 0x8,
};

/* Opcode map. VEX, EVEX and XOP have maps of their own. */
enum amd64_map {
	AMD64_MAP_ONE,
	AMD64_MAP_0F,
	AMD64_MAP_0F38,
	AMD64_MAP_0F3A,
	AMD64_MAP_VEX, /* VEX and EVEX; the map number is in `vex_map` */
	AMD64_MAP_XOP, /* XOP; the map number is in `vex_map` */
};

struct amd64_parts {
	const uint8_t *code;
	size_t size, at;
	bool cut;             /* the instruction continues past the last byte */
	bool small_operand;   /* prefix 66 */
	bool foreign_address; /* prefix 67 */
	bool foreign;         /* prefix 67 or a segment prefix: memory that is not tracked */
	uint8_t repeat;       /* prefix f2 or f3, also as encoded in VEX; otherwise 0 */
	uint8_t rex;          /* REX bits, also as encoded in VEX */
	bool has_rex;
	bool has_operand_prefix; /* 66, f0, f2, f3 or REX */
	enum amd64_map map;
	bool evex;
	uint8_t vex_map, vex_register, vex_width;
	uint8_t opcode, modrm, sib;
	bool has_modrm;
	uint8_t displacement, displacement_size; /* offset and size in bytes; size 0 if absent */
	uint8_t immediate, immediate_size;
};

static inline unsigned amd64_mod(const struct amd64_parts *p)
{
	return p->modrm >> 6;
}

/* Return the middle field of ModRM, which extends some opcodes. */
static inline unsigned amd64_group(const struct amd64_parts *p)
{
	return p->modrm >> 3 & 7;
}

/* Return the hardware numbers of the two ModRM operands. */
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

/*
 * Return the registers that may change, and the number of memory bytes that may be written
 * (amd64_writes.c, amd64_stores.c).
 */
uint16_t amd64_writes(const struct amd64_parts *parts);
uint16_t amd64_written_bytes(const struct amd64_parts *parts);

/* Return the sign-extended value, or 0 if absent. */
int32_t amd64_immediate(const struct amd64_parts *parts);
int32_t amd64_displacement(const struct amd64_parts *parts);

/* Correct `instruction` for EVEX, whose one-byte displacements count units of varying size. */
void amd64_scale_store(const struct amd64_parts *parts, struct amd64_instruction *instruction);

void amd64_decode_effects(const struct amd64_parts *parts, struct amd64_instruction *instruction);

#endif
