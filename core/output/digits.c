/* SPDX-License-Identifier: MIT */
/* Hexadecimal output of bytes. */
#include "digits.h"

void print_hex(FILE *out, struct cairn_bytes bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.size; i++) {
		const char pair[] = { digits[bytes.data[i] >> 4], digits[bytes.data[i] & 15] };
		fwrite(pair, 1, sizeof(pair), out);
	}
}

void print_hex_word(FILE *out, struct cairn_bytes bytes)
{
	print_hex(out, bytes);
	if (bytes.size == 0)
		fputc('-', out);
}
