/* SPDX-License-Identifier: MIT */
/*
 * A parser for GDB's output, from left to right. Each function consumes the bytes that it matched.
 * On failure it consumes nothing, or an unspecified part.
 */
#ifndef CAIRN_GDB_QUERIES_PRINTED_H
#define CAIRN_GDB_QUERIES_PRINTED_H

#include <cairn.h>

/* Return the bytes from index `start` on, which must be in range. */
struct cairn_bytes printed_from(struct cairn_bytes bytes, size_t start);

/*
 * Return the index of the first occurrence of the word, or the number of bytes if it does not
 * occur.
 */
size_t printed_find(struct cairn_bytes bytes, const char *word);

/* Remove and return the first line, without its newline. */
struct cairn_bytes printed_take_line(struct cairn_bytes *text);

/* Consume the word if it is next. */
bool printed_accept(struct cairn_bytes *bytes, const char *word);

/* Parse "0x" and up to 16 hexadecimal digits. */
bool printed_address(struct cairn_bytes *bytes, uint64_t *address);

#endif
