/* SPDX-License-Identifier: MIT */
/*
 * Validates, repairs and encodes UTF-8. Use this for formats that require valid UTF-8;
 * output/escape.h prints arbitrary strings.
 */
#ifndef CAIRN_BASE_UTF8_H
#define CAIRN_BASE_UTF8_H

#include <cairn.h>

#include "byte_buffer.h"

/*
 * Return true for valid UTF-8: shortest forms, no surrogates, nothing above U+10FFFF. Control
 * characters and NUL are allowed.
 */
bool utf8_is_valid(struct cairn_bytes text);

/*
 * maximum growth factor of a repaired string, because a single invalid byte is replaced by U+FFFD,
 * which takes three bytes
 */
enum { UTF8_GROWTH = 3 };

void utf8_put_repaired(struct sink *out, struct cairn_bytes text);

/*
 * Decode the first character of a non-empty string and return its size. An invalid byte decodes as
 * U+FFFD.
 */
size_t utf8_first(struct cairn_bytes text, uint32_t *character);

size_t utf8_encode(uint32_t character, uint8_t out[4]);

#endif
