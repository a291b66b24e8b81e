/* SPDX-License-Identifier: MIT */
/* Converts between bytes and two textual encodings, hexadecimal digits and base64. */
#ifndef CAIRN_BASE_ENCODING_H
#define CAIRN_BASE_ENCODING_H

#include <cairn.h>

enum { HEX_NO_DIGIT = 16 };

static inline unsigned hex_digit(uint8_t c)
{
	unsigned letter = (c | 0x20u) - 'a';

	if (c >= '0' && c <= '9')
		return c - (unsigned)'0';
	return letter < 6 ? letter + 10 : HEX_NO_DIGIT;
}

/*
 * Decode hexadecimal digits. `text` may also contain white space, and comments from '#' to the end
 * of a line. `out` must hold text.size / 2 bytes. If there is any other character, or the number of
 * digits is odd, return false and set *at to the offset of that character or of the end.
 */
bool hex_decode(struct cairn_bytes text, uint8_t *out, size_t *size, size_t *at);

/* Decode `text`. Return false unless it consists of exactly 2 * `size` hexadecimal digits. */
static inline bool hex_read(struct cairn_bytes text, uint8_t *out, size_t size)
{
	if (text.size != 2 * size)
		return false;
	for (size_t i = 0; i < size; i++) {
		const unsigned high = hex_digit(text.data[2 * i]),
			       low = hex_digit(text.data[2 * i + 1]);
		if (high == HEX_NO_DIGIT || low == HEX_NO_DIGIT)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* Read an address in cairn's JSON format: "0x" and 1 to 16 digits in either case. */
static inline bool hex_read_address(struct cairn_bytes text, uint64_t *address)
{
	uint64_t sum = 0;

	if (text.size < 3 || text.size > 18 || text.data[0] != '0' || text.data[1] != 'x')
		return false;
	for (size_t i = 2; i < text.size; i++) {
		if (hex_digit(text.data[i]) == HEX_NO_DIGIT)
			return false;
		sum = sum << 4 | hex_digit(text.data[i]);
	}
	*address = sum;
	return true;
}

/*
 * Encode `bytes` as lowercase hexadecimal digits and a NUL. `out` must hold 2 * bytes.size + 1
 * bytes.
 */
void hex_encode(struct cairn_bytes bytes, char *out);

enum base64_problem {
	BASE64_DAMAGED = 1, /* invalid character, incomplete group, or data after '=' */
	BASE64_WHITESPACE = 2,
};

struct base64_result {
	size_t size;
	unsigned problems;
	size_t offset;
};

/* Return a buffer size that is sufficient for decoding `text`. */
size_t base64_capacity(struct cairn_bytes text);

/*
 * Decode base64 in the standard alphabet, the URL alphabet or a mixture, with or without padding.
 * JSON escapes are decoded, too. Decoding stops at an invalid character and drops the incomplete
 * group before it.
 */
struct base64_result base64_decode(struct cairn_bytes text, uint8_t *bytes);

/* Encode up to three bytes as four characters, with padding. */
void base64_encode_group(struct cairn_bytes bytes, char text[4]);

#endif
