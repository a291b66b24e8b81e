/* SPDX-License-Identifier: MIT */
/* Base64 in, also as JSON writes it, and out. */
#ifndef CAIRN_BASE_BASE64_H
#define CAIRN_BASE_BASE64_H

#include <cairn.h>

/* What was wrong with it.  A set of bits. */
enum base64_problem {
	BASE64_DAMAGED = 1,    /* a wrong character, one too many, or more after '=' */
	BASE64_WHITESPACE = 2, /* blanks or line ends inside */
};

struct base64_result {
	size_t size;
	unsigned problems;
	size_t offset; /* in the text, of what was damaged */
};

/* Room for the bytes of so much text. */
size_t base64_room(struct cairn_bytes text);

/*
 * The bytes that base64 text stands for: both alphabets, also mixed, padded or not, JSON's escapes
 * undone.  At a wrong character it stops, and the group that was begun is lost.
 */
struct base64_result base64_decode(struct cairn_bytes text, uint8_t *bytes);

/* Writes the text of at most three bytes, padded: four characters. */
void base64_encode_group(struct cairn_bytes bytes, char text[4]);

#endif
