/* SPDX-License-Identifier: MIT */
/* Which characters of a JSON string need an escape, and what is written for one. */
#ifndef CAIRN_BASE_JSON_JSON_ESCAPE_H
#define CAIRN_BASE_JSON_JSON_ESCAPE_H

#include <cairn.h>

enum { JSON_ESCAPE_MAX = 8 }; /* bytes that are written for one character: \u10ffff */

/* How many bytes from the beginning of `text` need no escape. */
size_t json_plain_run(struct cairn_bytes text);

/*
 * Copies `size` bytes to `to`, and reads and writes nothing past them.  False: at least one of them needs an
 * escape, and what was written is of no use.
 */
bool json_copy_plain(char *to, const uint8_t *from, size_t size);

/*
 * Moves the first character from `text` to `at`, where JSON_ESCAPE_MAX bytes fit, and returns the end of what was
 * written.  A byte that belongs to no character becomes U+FFFD.
 */
char *json_put_character(char *at, struct cairn_bytes *text);

#endif
