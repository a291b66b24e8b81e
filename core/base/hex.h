/* SPDX-License-Identifier: MIT */
/* Bytes written as hexadecimal digits, and back. */
#ifndef CAIRN_BASE_HEX_H
#define CAIRN_BASE_HEX_H

#include <cairn.h>

enum { HEX_NO_DIGIT = 16 };

/* The value of a digit, in either case. */
static inline unsigned hex_digit(uint8_t c)
{
	unsigned letter = (c | 0x20u) - 'a';

	if (c >= '0' && c <= '9')
		return c - (unsigned)'0';
	return letter < 6 ? letter + 10 : HEX_NO_DIGIT;
}

/*
 * The bytes of `text`, which may have blanks and line ends anywhere, and comments from '#' to the
 * end of a line.  `out` has room for text.size / 2 of them.  False with *at where no digit is, or
 * at the end when one is missing.
 */
bool hex_decode(struct cairn_bytes text, uint8_t *out, size_t *size, size_t *at);

/* The digits of `bytes`, in lower case, with a zero after them: `out` has room for 2 * bytes.size + 1. */
void hex_encode(struct cairn_bytes bytes, char *out);

#endif
