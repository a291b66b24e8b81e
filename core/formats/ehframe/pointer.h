/* SPDX-License-Identifier: MIT */
/*
 * Reads encoded addresses of .eh_frame and .eh_frame_hdr (Linux Standard Base, "DWARF Exception
 * Header Encoding"). The low half of the encoding byte is the form of the number, the high half is
 * its base.
 */
#ifndef CAIRN_FORMATS_EHFRAME_POINTER_H
#define CAIRN_FORMATS_EHFRAME_POINTER_H

#include "base/reader.h"

enum {
	POINTER_FORM = 0x0f,
	/* as wide as a target address; the other forms have a fixed size */
	POINTER_WORD = 0x00,
	POINTER_ULEB = 0x01,
	POINTER_U2 = 0x02,
	POINTER_U4 = 0x03,
	POINTER_U8 = 0x04,
	POINTER_SIGNED = 0x08, /* flag; combines with POINTER_WORD */
	POINTER_SLEB = 0x09,
	POINTER_S2 = 0x0a,
	POINTER_S4 = 0x0b,
	POINTER_S8 = 0x0c,

	POINTER_BASE = 0x70,
	POINTER_ABSOLUTE = 0x00,
	POINTER_HERE = 0x10, /* relative to the number's own address */
	POINTER_TEXT = 0x20,
	/*
	 * relative to the start of .eh_frame_hdr in that section; elsewhere the ABI defines the
	 * base
	 */
	POINTER_DATA = 0x30,
	POINTER_FUNCTION = 0x40,
	POINTER_ALIGNED = 0x50, /* absolute; the number is aligned to the size of a word */

	/* flag: the result is the address of a memory word that contains the address */
	POINTER_INDIRECT = 0x80,
	POINTER_OMITTED = 0xff,
};

/*
 * Replace POINTER_WORD by the form of 4 bytes if `word`, the size of a target address, is 4.
 * Otherwise POINTER_WORD means 8 bytes and the encoding does not change.
 */
uint8_t pointer_settle(uint8_t encoding, uint8_t word);

/* Return the size of a form in bytes, or 0 for a LEB128 and for unknown forms. */
size_t pointer_size(uint8_t encoding);

/*
 * Return the reason why an address of this encoding cannot be read from the bytes alone, or NULL if
 * it can.
 */
const char *pointer_refusal(uint8_t encoding);

/*
 * Read the number without adding its base. `address` is the address of the reader's first byte. The
 * reader fails with CAIRN_UNSUPPORTED for an unknown form.
 */
uint64_t pointer_read_number(struct reader *in, uint8_t encoding, uint64_t address);

/*
 * Read an address. `address` is the address of the reader's first byte. The reader fails with
 * CAIRN_UNSUPPORTED if pointer_refusal() rejects the encoding.
 */
uint64_t pointer_read(struct reader *in, uint8_t encoding, uint64_t address);

#endif
