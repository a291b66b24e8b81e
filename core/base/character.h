/* SPDX-License-Identifier: MIT */
/* Characters of text that came from input, and which of them may be shown. */
#ifndef CAIRN_BASE_CHARACTER_H
#define CAIRN_BASE_CHARACTER_H

#include <cairn.h>

/* The length of the sound UTF-8 character at the beginning of `text`; 0 when there is none. */
size_t character_at(struct cairn_bytes text, uint32_t *character);

/* False for controls, and for what is not seen but changes how the rest is seen. */
bool character_is_printable(uint32_t character);

#endif
