/* SPDX-License-Identifier: MIT */
/*
 * Steps over call frame instructions by the types of their operands (DWARF 5, 7.24, and the GNU and
 * AArch64 extensions).
 */
#include "cfi_instructions.h"

#include "cfi_operands.h"

enum { INSTRUCTIONS = CFI_LOW_BITS + 1 };

/* Operand type. A byte of the table holds two. */
enum operand {
	NONE,
	LEB,      /* signed or unsigned, which have the same length */
	BLOCK,    /* length and bytes of an expression */
	LOCATION, /* an encoded address */
	DELTA_1,
	DELTA_2,
	DELTA_4,
	DELTA_8,
	SECOND = 4, /* shift of the second operand */
	FIRST_BITS = 0x0f,
};

enum {
	KNOWN = 0x80,
	LEB_LEB = KNOWN | LEB | LEB << SECOND,
	LEB_BLOCK = KNOWN | LEB | BLOCK << SECOND,
};

static const uint8_t operands[INSTRUCTIONS] = {
	[CFI_NOP] = KNOWN,
	[CFI_SET_LOC] = KNOWN | LOCATION,
	[CFI_ADVANCE_1] = KNOWN | DELTA_1,
	[CFI_ADVANCE_2] = KNOWN | DELTA_2,
	[CFI_ADVANCE_4] = KNOWN | DELTA_4,
	[CFI_OFFSET_EXTENDED] = LEB_LEB,
	[CFI_RESTORE_EXTENDED] = KNOWN | LEB,
	[CFI_UNDEFINED] = KNOWN | LEB,
	[CFI_SAME_VALUE] = KNOWN | LEB,
	[CFI_REGISTER] = LEB_LEB,
	[CFI_REMEMBER_STATE] = KNOWN,
	[CFI_RESTORE_STATE] = KNOWN,
	[CFI_DEF_CFA] = LEB_LEB,
	[CFI_DEF_CFA_REGISTER] = KNOWN | LEB,
	[CFI_DEF_CFA_OFFSET] = KNOWN | LEB,
	[CFI_DEF_CFA_EXPRESSION] = KNOWN | BLOCK,
	[CFI_EXPRESSION] = LEB_BLOCK,
	[CFI_OFFSET_EXTENDED_SF] = LEB_LEB,
	[CFI_DEF_CFA_SF] = LEB_LEB,
	[CFI_DEF_CFA_OFFSET_SF] = KNOWN | LEB,
	[CFI_VAL_OFFSET] = LEB_LEB,
	[CFI_VAL_OFFSET_SF] = LEB_LEB,
	[CFI_VAL_EXPRESSION] = LEB_BLOCK,
	[CFI_ADVANCE_8] = KNOWN | DELTA_8,
	[CFI_NEGATE_RA_STATE_WITH_PC] = KNOWN,
	[CFI_NEGATE_RA_STATE] = KNOWN,
	[CFI_ARGS_SIZE] = KNOWN | LEB,
	[CFI_NEGATIVE_OFFSET_EXTENDED] = LEB_LEB,
};

struct cfi_instructions cfi_instructions_open(const struct ehframe_cie *cie,
                                              const struct ehframe_source *source, size_t program,
                                              uint64_t start)
{
	struct cfi_instructions all = { .in = reader_open(source->bytes, source->big),
		                        .cie = cie,
		                        .source = source,
		                        .location = start };

	reader_seek(&all.in, program);
	return all;
}

static void move_location(struct cfi_instructions *all, uint64_t to)
{
	if (!reader_ok(&all->in))
		return;
	if (to < all->location)
		cfi_fail_order(&all->in);
	else
		all->location = to;
}

static void advance_location(struct cfi_instructions *all, uint64_t delta)
{
	const uint64_t bytes = cfi_scale_delta(&all->in, all->cie, delta);

	move_location(all, all->location + bytes);
}

static void skip_leb(struct reader *in)
{
	while (reader_ok(in) && reader_u8(in) >= 0x80)
		continue;
}

static bool read_operand(struct cfi_instructions *all, unsigned operand)
{
	switch (operand) {
	case LEB:
		skip_leb(&all->in);
		return false;
	case BLOCK:
		cfi_read_expression(&all->in);
		return false;
	case LOCATION:
		move_location(all, cfi_read_location(&all->in, all->source, all->cie));
		return true;
	case DELTA_1:
		advance_location(all, reader_u8(&all->in));
		return true;
	case DELTA_2:
		advance_location(all, reader_u16(&all->in));
		return true;
	case DELTA_4:
		advance_location(all, reader_u32(&all->in));
		return true;
	case DELTA_8:
		advance_location(all, reader_u64(&all->in));
		return true;
	default:
		return false;
	}
}

static bool read_low_instruction(struct cfi_instructions *all, size_t at, uint8_t code)
{
	const unsigned known = operands[code];

	if (!known)
		reader_fail_at(&all->in, at, CAIRN_UNSUPPORTED, "unknown call frame instruction");
	bool moves = read_operand(all, known & FIRST_BITS);
	read_operand(all, (known & ~(unsigned)KNOWN) >> SECOND);
	return moves;
}

bool cfi_instructions_next(struct cfi_instructions *all, struct cfi_instruction *is)
{
	struct reader *in = &all->in;
	const size_t at = in->at;

	if (!reader_ok(in) || reader_left(in) == 0)
		return false;
	const uint8_t byte = reader_u8(in);
	bool moves = byte >> 6 == CFI_HIGH_ADVANCE;
	if (moves)
		advance_location(all, byte & CFI_LOW_BITS);
	else if (byte >> 6 == CFI_HIGH_OFFSET)
		skip_leb(in);
	else if (byte >> 6 != CFI_HIGH_RESTORE)
		moves = read_low_instruction(all, at, byte);
	if (!reader_ok(in))
		return false;
	*is = (struct cfi_instruction){ { in->in.data + at, in->at - at }, moves };
	return true;
}
