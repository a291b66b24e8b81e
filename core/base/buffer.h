/* SPDX-License-Identifier: MIT */
/*
 * Bytes out, into memory that grows up to a bound.  Sticky, as the reader is: when memory is short
 * or the bound reached, `failed` is set, nothing more goes in, and the caller asks once at the end.
 *
 *	struct buffer out = { .limit = 1 << 20, .big = true };
 *	buffer_number(&out, 5, 2);
 *	buffer_uleb(&out, 300);
 *	if (out.failed)
 *		...
 *	buffer_finish(&out);
 */
#ifndef CAIRN_BASE_BUFFER_H
#define CAIRN_BASE_BUFFER_H

#include <cairn.h>

struct buffer {
	uint8_t *data; /* NULL as long as it is empty */
	size_t size, room;
	size_t limit; /* never more bytes than these */
	bool big;     /* byte order of numbers */
	bool failed;
};

void buffer_finish(struct buffer *b);

/* Makes room for `size` more bytes; where they go, or NULL. */
uint8_t *buffer_extend(struct buffer *b, size_t size);

void buffer_bytes(struct buffer *b, const void *bytes, size_t size);

/* The low `width` bytes (1 to 8). */
void buffer_number(struct buffer *b, uint64_t value, unsigned width);
void buffer_uleb(struct buffer *b, uint64_t value);
void buffer_sleb(struct buffer *b, int64_t value);

static inline void buffer_u8(struct buffer *b, uint8_t byte)
{
	buffer_bytes(b, &byte, 1);
}

/* Zeros up to a multiple of `alignment`. */
void buffer_align(struct buffer *b, size_t alignment);

/* Overwrites a number at an offset that has been written. */
void buffer_poke(struct buffer *b, size_t at, uint64_t value, unsigned width);

#endif
