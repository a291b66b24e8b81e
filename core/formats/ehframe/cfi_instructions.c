/* SPDX-License-Identifier: MIT */
/* Steps over call frame instructions, by the operands that each has (DWARF 5, 7.24, GNU's and AArch64's). */
#include "cfi_instructions.h"

enum {
	HIGH_ADVANCE = 1,
	HIGH_OFFSET = 2,
	HIGH_RESTORE = 3,
	LOW_BITS = 0x3f,
	INSTRUCTIONS = LOW_BITS + 1,
};

/* What an operand is; two of them fit into a byte. */
enum operand {
	NONE,
	LEB,      /* of either sign: the length is the same */
	BLOCK,    /* the length of an expression, and the expression */
	LOCATION, /* an encoded address */
	DELTA_1,
	DELTA_2,
	DELTA_4,
	DELTA_8,
	SECOND = 4, /* bits to the second operand */
	FIRST_BITS = 0x0f,
};

enum {
	KNOWN = 0x80,
	LEB_LEB = KNOWN | LEB | LEB << SECOND,
	LEB_BLOCK = KNOWN | LEB | BLOCK << SECOND,
};

static const uint8_t operands[INSTRUCTIONS] = {
	[0x00] = KNOWN, /* nop */
	[0x01] = KNOWN | LOCATION,
	[0x02] = KNOWN | DELTA_1,
	[0x03] = KNOWN | DELTA_2,
	[0x04] = KNOWN | DELTA_4,
	[0x05] = LEB_LEB,     /* offset_extended */
	[0x06] = KNOWN | LEB, /* restore_extended, undefined, same_value */
	[0x07] = KNOWN | LEB,
	[0x08] = KNOWN | LEB,
	[0x09] = LEB_LEB, /* register */
	[0x0a] = KNOWN,   /* remember_state, restore_state */
	[0x0b] = KNOWN,
	[0x0c] = LEB_LEB, /* def_cfa and its parts */
	[0x0d] = KNOWN | LEB,
	[0x0e] = KNOWN | LEB,
	[0x0f] = KNOWN | BLOCK,
	[0x10] = LEB_BLOCK, /* expression */
	[0x11] = LEB_LEB,   /* offset_extended_sf, def_cfa_sf, def_cfa_offset_sf */
	[0x12] = LEB_LEB,
	[0x13] = KNOWN | LEB,
	[0x14] = LEB_LEB, /* val_offset, val_offset_sf, val_expression */
	[0x15] = LEB_LEB,
	[0x16] = LEB_BLOCK,
	[0x1d] = KNOWN | DELTA_8, /* advance of MIPS */
	[0x2c] = KNOWN,           /* AArch64's signed return addresses */
	[0x2d] = KNOWN,
	[0x2e] = KNOWN | LEB, /* GNU_args_size, GNU_negative_offset_extended */
	[0x2f] = LEB_LEB,
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
	if (to < all->location)
		reader_fail(&all->in, CAIRN_MALFORMED, "locations do not ascend");
	else
		all->location = to;
}

static void advance_location(struct cfi_instructions *all, uint64_t delta)
{
	const uint64_t align = all->cie->code_align, bytes = delta * align;

	if (align && bytes / align != delta)
		reader_fail(&all->in, CAIRN_MALFORMED, "locations do not ascend");
	else
		move_location(all, all->location + bytes);
}

static void set_location(struct cfi_instructions *all)
{
	uint64_t address = 0;
	size_t width = 0;
	enum cairn_status status =
		ehframe_address(all->source, all->in.at, all->cie->encoding, &address, &width);

	if (status != CAIRN_OK)
		reader_fail_at(&all->in, all->in.at, status, "a location that cannot be read");
	reader_skip(&all->in, width);
	if (reader_ok(&all->in))
		move_location(all, address);
}

static void skip_block(struct reader *in)
{
	uint64_t size = reader_uleb(in);

	if (size > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED, "an expression is cut off");
	else
		reader_skip(in, (size_t)size);
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
		skip_block(&all->in);
		return false;
	case LOCATION:
		set_location(all);
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
	bool moves = byte >> 6 == HIGH_ADVANCE;
	if (moves)
		advance_location(all, byte & LOW_BITS);
	else if (byte >> 6 == HIGH_OFFSET)
		skip_leb(in);
	else if (byte >> 6 != HIGH_RESTORE)
		moves = read_low_instruction(all, at, byte);
	if (!reader_ok(in))
		return false;
	*is = (struct cfi_instruction){ { in->in.data + at, in->at - at }, moves };
	return true;
}
