/* SPDX-License-Identifier: MIT */
/*
 * Addresses as .eh_frame and .eh_frame_hdr store them (Linux Standard Base, "DWARF Exception Header Encoding"): a byte
 * gives the form of the number in its low half and what the number counts from in its high half.
 */
#ifndef CAIRN_FORMATS_EHFRAME_POINTER_H
#define CAIRN_FORMATS_EHFRAME_POINTER_H

#include "base/reader.h"

enum {
	POINTER_FORM = 0x0f,
	POINTER_WORD =
		0x00, /* as wide as an address of the program; others have a size of their own */
	POINTER_ULEB = 0x01,
	POINTER_U2 = 0x02,
	POINTER_U4 = 0x03,
	POINTER_U8 = 0x04,
	POINTER_SIGNED = 0x08, /* a bit; of the word, too */
	POINTER_SLEB = 0x09,
	POINTER_S2 = 0x0a,
	POINTER_S4 = 0x0b,
	POINTER_S8 = 0x0c,

	POINTER_BASE = 0x70,
	POINTER_ABSOLUTE = 0x00,
	POINTER_HERE = 0x10, /* counts from the place of the number */
	POINTER_TEXT = 0x20,
	POINTER_DATA =
		0x30, /* in .eh_frame_hdr from its start, elsewhere from what the machine's ABI names */
	POINTER_FUNCTION = 0x40,
	POINTER_ALIGNED = 0x50, /* absolute, at the next multiple of a word */

	POINTER_INDIRECT = 0x80, /* where the address is */
	POINTER_OMITTED = 0xff,
};

/* A word made a form with a size: `word` is 4 in 32-bit programs, else 8. */
uint8_t pointer_settle(uint8_t encoding, uint8_t word);

/* The size of a form that has one; 0: it is a LEB128, or not a form. */
size_t pointer_size(uint8_t encoding);

/* Why an address of this encoding cannot be had from the bytes alone; NULL when it can. */
const char *pointer_refusal(uint8_t encoding);

/* The number alone, whatever it counts from; `address` is that of the reader's first byte. UNSUPPORTED: not a form. */
uint64_t pointer_read_number(struct reader *in, uint8_t encoding, uint64_t address);

/* The address; `address` as above. The reader fails as UNSUPPORTED where there is a refusal. */
uint64_t pointer_read(struct reader *in, uint8_t encoding, uint64_t address);

#endif
