/* SPDX-License-Identifier: MIT */
/* Is a text UTF-8?  Formats that promise it are held to it; showing text is output/escape.h. */
#ifndef CAIRN_BASE_TEXT_UTF8_H
#define CAIRN_BASE_TEXT_UTF8_H

#include <cairn.h>

#include "base/sink.h"

/* Shortest forms only, no surrogates, nothing above U+10FFFF.  Controls and NUL are text. */
bool utf8_is_valid(struct cairn_bytes text);

/* A byte that is not part of a character becomes U+FFFD, three bytes long: the largest growth there is. */
enum { UTF8_GROWTH = 3 };

/* The text with such bytes replaced, which is sound then. */
void utf8_put_repaired(struct sink *out, struct cairn_bytes text);

/* The character at the start of a text that is not empty, and its length; a byte that is part of none is U+FFFD. */
size_t utf8_first(struct cairn_bytes text, uint32_t *character);

/* Writes a character, which is at most U+10FFFF, and returns its length. */
size_t utf8_encode(uint32_t character, uint8_t out[4]);

#endif
