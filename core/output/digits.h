/* SPDX-License-Identifier: MIT */
/* Formats numbers and bytes faster than printf(), for bulk output. */
#ifndef CAIRN_OUTPUT_DIGITS_H
#define CAIRN_OUTPUT_DIGITS_H

#include <cairn.h>
#include <stdio.h>

enum { DIGITS_MAX = 20 }; /* decimal digits of UINT64_MAX */

/*
 * Write `number` in base 10 or 16 so that its last digit is just before `end`, and return a pointer
 * to the first digit. The buffer must have DIGITS_MAX bytes before `end`.
 */
static inline char *digits_before(char *end, uint64_t number, unsigned base)
{
	static const char digits[] = "0123456789abcdef";

	do {
		*--end = digits[base == 16 ? number & 15 : number % 10];
		number = base == 16 ? number >> 4 : number / 10;
	} while (number > 0);
	return end;
}

/* Print each byte as two hexadecimal digits, the usual form of a build ID. */
void print_hex(FILE *out, struct cairn_bytes bytes);

/* Like print_hex(), but print "-" if `bytes` is empty, so that a line keeps its number of words. */
void print_hex_word(FILE *out, struct cairn_bytes bytes);

#endif
