/* SPDX-License-Identifier: MIT */
/* Decodes base64, also as JSON writes it, and encodes it. */
#ifndef CAIRN_BASE_BASE64_H
#define CAIRN_BASE_BASE64_H

#include <cairn.h>

/* Bit mask of problems found. */
enum base64_problem {
	BASE64_DAMAGED = 1,    /* invalid character, incomplete group, or data after '=' */
	BASE64_WHITESPACE = 2, /* embedded blanks or line ends */
};

struct base64_result {
	size_t size;
	unsigned problems;
	size_t offset;
};

/* Return a buffer size that suffices for decoding `text`. */
size_t base64_room(struct cairn_bytes text);

/*
 * Decode base64. Both alphabets are accepted, even mixed, with or without padding, and JSON escapes
 * are undone. Decoding stops at an invalid character and drops the incomplete group.
 */
struct base64_result base64_decode(struct cairn_bytes text, uint8_t *bytes);

/* Encode up to three bytes as four characters, with padding. */
void base64_encode_group(struct cairn_bytes bytes, char text[4]);

#endif
