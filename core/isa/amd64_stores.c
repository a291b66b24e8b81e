/* SPDX-License-Identifier: MIT */
/*
 * Determines how many bytes an instruction writes at its memory operand. String instructions, and
 * instructions that address their result by a fixed register, store through pointers and do not
 * count.
 */
#include "amd64_parts.h"

#include "base/bytes.h"

enum { X87_EXTENDED = 10, X87_ALL = 108, SSE = 16, EVEX_UNIT_MAX = 64 };

static uint16_t integer_width(const struct amd64_parts *p)
{
	return p->rex & REX_W ? 8 : p->small_operand ? 2 : 4;
}

/* x87 loads and comparisons are counted as stores, too. */
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
 * Return true for a comparison, or for add, or, sub and xor of 0, which serve as fences and stack
 * probes.
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

/* Return the size of a vector store. With f3 or f2, opcode 11 stores a single number. */
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

/* For VEX and EVEX, a store may be reported too wide, or for an instruction that does not store. */
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

uint16_t amd64_written_bytes(const struct amd64_parts *p)
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
	case AMD64_MAP_XOP: /* has_known_effects() rejects it */
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

int32_t amd64_immediate(const struct amd64_parts *p)
{
	return signed_number(p->code + p->immediate, p->immediate_size);
}

int32_t amd64_displacement(const struct amd64_parts *p)
{
	return signed_number(p->code + p->displacement, p->displacement_size);
}

/*
 * Scale the displacement. The unit is known for stores of whole vectors; for others, widen the
 * store to cover every location at which it may be.
 */
void amd64_scale_store(const struct amd64_parts *p, struct amd64_instruction *i)
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
