/* SPDX-License-Identifier: MIT */
/* Finds characters in a JSON string that must be escaped, and writes the escapes. */
#ifndef CAIRN_BASE_JSON_ESCAPE_H
#define CAIRN_BASE_JSON_ESCAPE_H

#include <cairn.h>

enum { JSON_ESCAPE_MAX = 8 }; /* maximum size of an escaped character in bytes */

size_t json_plain_run(struct cairn_bytes text);

/*
 * Copy `size` bytes, neither reading nor writing beyond them. Return false if a byte must be
 * escaped; the output is then unusable.
 */
bool json_copy_plain(char *to, const uint8_t *from, size_t size);

/*
 * Write the first character of `text` to `at`, escaped if needed, and remove it from `text`. There
 * must be space for JSON_ESCAPE_MAX bytes. A byte that is not part of a character becomes U+FFFD.
 * Return the end of the output.
 */
char *json_put_character(char *at, struct cairn_bytes *text);

#endif
