/* SPDX-License-Identifier: MIT */
/* Digits of numbers and of bytes, for outputs that have thousands of them. */
#ifndef CAIRN_OUTPUT_DIGITS_H
#define CAIRN_OUTPUT_DIGITS_H

#include <cairn.h>
#include <stdio.h>

enum { DIGITS_MAX = 20 }; /* of 64 bits in base 10 */

/* Puts the digits, in base 10 or 16, before `end`, where there is room for DIGITS_MAX; returns the first of them. */
static inline char *digits_before(char *end, uint64_t number, unsigned base)
{
	static const char digits[] = "0123456789abcdef";

	do {
		*--end = digits[base == 16 ? number & 15 : number % 10];
		number = base == 16 ? number >> 4 : number / 10;
	} while (number > 0);
	return end;
}

/* Prints each byte as two digits, as build IDs are written. */
void print_hex(FILE *out, struct cairn_bytes bytes);

/* The same as one word: "-" when there are none. */
void print_hex_word(FILE *out, struct cairn_bytes bytes);

#endif
