/* SPDX-License-Identifier: MIT */
/* Is a text UTF-8?  Formats that promise it are held to it; showing text is output/escape.h. */
#ifndef CAIRN_BASE_UTF8_H
#define CAIRN_BASE_UTF8_H

#include <cairn.h>

/* Shortest forms only, no surrogates, nothing above U+10FFFF.  Controls and NUL are text. */
bool utf8_is_sound(struct cairn_bytes text);

#endif
