/* SPDX-License-Identifier: MIT */
/* Suffixes that linkers and compilers append to names, and the character classes of words. */
#ifndef CAIRN_GROUPS_NAME_END_H
#define CAIRN_GROUPS_NAME_END_H

#include <cairn.h>

static inline bool name_end_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static inline bool name_end_is_word(uint8_t c)
{
	return name_end_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c >= 0x80;
}

/*
 * Return the name without blanks, symbol versions ("@@GLIBC_2.14"), clone suffixes (".part.0") and
 * a trailing Rust hash.
 */
struct cairn_bytes name_end_trim(struct cairn_bytes name);

#endif
