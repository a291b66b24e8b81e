/* SPDX-License-Identifier: MIT */
/*
 * A parser for GDB's output, from left to right: each function consumes what it matched, and
 * consumes nothing, or an unspecified part, when it fails.
 */
#ifndef CAIRN_GDB_QUERIES_PRINTED_H
#define CAIRN_GDB_QUERIES_PRINTED_H

#include <cairn.h>

/* The bytes without the first `start`, which are there. */
struct cairn_bytes printed_from(struct cairn_bytes bytes, size_t start);

/* Where the word first begins; the size of the bytes when it does not occur. */
size_t printed_find(struct cairn_bytes bytes, const char *word);

/* Takes off the first line, and returns it without its end. */
struct cairn_bytes printed_take_line(struct cairn_bytes *text);

/* Is it next?  Then go past it. */
bool printed_accept(struct cairn_bytes *bytes, const char *word);

/* "0x" and hexadecimal digits, as many as 64 bits have at most. */
bool printed_address(struct cairn_bytes *bytes, uint64_t *address);

#endif
