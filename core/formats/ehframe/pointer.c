/* SPDX-License-Identifier: MIT */
/* Reads addresses of every form. Rejects addresses whose base is unknown, with a reason. */
#include "pointer.h"

#include "base/bytes.h"

enum {
	WORD_NARROW = 4,
	WORD_WIDE = 8,
	/* the usual encoding, which gets a fast path */
	USUAL_START = POINTER_HERE | POINTER_S4,
	USUAL_SIZE = POINTER_U4,
};

uint8_t pointer_settle(uint8_t encoding, uint8_t word)
{
	const uint8_t base = encoding & POINTER_BASE;

	if (word != WORD_NARROW || (encoding & POINTER_FORM & ~POINTER_SIGNED) != POINTER_WORD)
		return encoding;
	const bool is_address = base == POINTER_ABSOLUTE || base == POINTER_ALIGNED;
	return (uint8_t)((encoding & ~POINTER_FORM) | (is_address ? POINTER_U4 : POINTER_S4));
}

size_t pointer_size(uint8_t encoding)
{
	switch (encoding & POINTER_FORM) {
	case POINTER_WORD:
	case POINTER_SIGNED:
	case POINTER_U8:
	case POINTER_S8:
		return 8;
	case POINTER_U2:
	case POINTER_S2:
		return 2;
	case POINTER_U4:
	case POINTER_S4:
		return 4;
	default:
		return 0;
	}
}

static bool is_form(uint8_t encoding)
{
	const uint8_t form = encoding & POINTER_FORM;

	return pointer_size(encoding) > 0 || form == POINTER_ULEB || form == POINTER_SLEB;
}

const char *pointer_refusal(uint8_t encoding)
{
	if (encoding == POINTER_OMITTED)
		return "an address that was left out";
	if (!is_form(encoding))
		return "an address of an unknown form";
	if (encoding & POINTER_INDIRECT)
		return "an address that is kept elsewhere";
	switch (encoding & POINTER_BASE) {
	case POINTER_ABSOLUTE:
	case POINTER_HERE:
	case POINTER_ALIGNED:
		return NULL;
	case POINTER_TEXT:
		return "an address counted from the start of the code";
	case POINTER_DATA:
		return "an address counted from the start of the data";
	case POINTER_FUNCTION:
		return "an address counted from the start of a function";
	default:
		return "an address counted from an unknown place";
	}
}

static void skip_to_word(struct reader *in, uint8_t encoding, uint64_t address)
{
	const size_t word = pointer_size(encoding) == WORD_NARROW ? WORD_NARROW : WORD_WIDE;

	if ((encoding & POINTER_BASE) == POINTER_ALIGNED)
		reader_skip(in, (size_t)(0 - (address + in->at)) & (word - 1));
}

uint64_t pointer_read_number(struct reader *in, uint8_t encoding, uint64_t address)
{
	if (encoding == USUAL_START)
		return (uint64_t)(int64_t)reader_s32(in);
	if (encoding == USUAL_SIZE)
		return reader_u32(in);
	const size_t size = pointer_size(encoding);
	if (!is_form(encoding)) {
		reader_fail(in, CAIRN_UNSUPPORTED, "an address of an unknown form");
		return 0;
	}
	if (size == 0)
		return encoding & POINTER_SIGNED ? (uint64_t)reader_sleb(in) : reader_uleb(in);
	skip_to_word(in, encoding, address);
	const struct cairn_bytes field = reader_bytes(in, size);
	if (!reader_ok(in))
		return 0;
	return encoding & POINTER_SIGNED ? (uint64_t)bytes_signed(field.data, size, in->big)
	                                 : bytes_unsigned(field.data, size, in->big);
}

uint64_t pointer_read(struct reader *in, uint8_t encoding, uint64_t address)
{
	const char *refusal = encoding == USUAL_START ? NULL : pointer_refusal(encoding);

	if (refusal) {
		reader_fail(in, CAIRN_UNSUPPORTED, refusal);
		return 0;
	}
	const uint64_t here = address + in->at;
	const uint64_t number = pointer_read_number(in, encoding, address);
	return (encoding & POINTER_BASE) == POINTER_HERE ? here + number : number;
}
