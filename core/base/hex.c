/* SPDX-License-Identifier: MIT */
/* Decodes hexadecimal strings with blanks and comments, and encodes bytes. */
#include "hex.h"

bool hex_decode(struct cairn_bytes text, uint8_t *out, size_t *size, size_t *at)
{
	bool comment = false;
	size_t digits = 0;

	for (*at = 0; *at < text.size; ++*at) {
		uint8_t c = text.data[*at];
		comment = c == '\n' ? false : comment || c == '#';
		if (comment || c == ' ' || c == '\t' || c == '\r' || c == '\n')
			continue;
		unsigned value = hex_digit(c);
		if (value == HEX_NO_DIGIT)
			return false;
		if (digits % 2 == 0)
			out[digits / 2] = (uint8_t)(value << 4);
		else
			out[digits / 2] |= (uint8_t)value;
		digits++;
	}
	*size = digits / 2;
	return digits % 2 == 0;
}

void hex_encode(struct cairn_bytes bytes, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.size; i++) {
		*out++ = digits[bytes.data[i] >> 4];
		*out++ = digits[bytes.data[i] & 15];
	}
	*out = '\0';
}
