/* SPDX-License-Identifier: MIT */
/*
 * Writes into a buffer that the caller supplies. Like snprintf(), it stops storing when the buffer
 * is full but continues to count, so `size` is the capacity that would have been sufficient. It
 * does not allocate, so it can be used where allocation is forbidden.
 *
 *	struct sink out = sink_open(buffer, sizeof(buffer));
 *	sink_u8(&out, 2);
 *	if (!sink_fits(&out))
 *		... out.size bytes are needed
 */
#ifndef CAIRN_BASE_BYTE_BUFFER_H
#define CAIRN_BASE_BYTE_BUFFER_H

#include <cairn.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sink {
	uint8_t *data;
	size_t capacity;
	size_t size;
};

static inline struct sink sink_open(void *buffer, size_t capacity)
{
	return (struct sink){ .data = buffer, .capacity = capacity };
}

static inline bool sink_fits(const struct sink *s)
{
	return s->size <= s->capacity;
}

static inline void sink_u8(struct sink *s, uint8_t byte)
{
	if (s->size < s->capacity)
		s->data[s->size] = byte;
	s->size++;
}

static inline void sink_bytes(struct sink *s, const uint8_t *data, size_t size)
{
	if (sink_fits(s) && size <= s->capacity - s->size && size > 0)
		memcpy(s->data + s->size, data, size);
	s->size += size;
}

static inline void sink_text(struct sink *s, const char *text)
{
	sink_bytes(s, (const uint8_t *)text, strlen(text));
}

/* Store eight bytes, most significant first. Compilers combine this into one store. */
static inline void sink_store(uint8_t *p, uint64_t value)
{
	p[0] = (uint8_t)(value >> 56);
	p[1] = (uint8_t)(value >> 48);
	p[2] = (uint8_t)(value >> 40);
	p[3] = (uint8_t)(value >> 32);
	p[4] = (uint8_t)(value >> 24);
	p[5] = (uint8_t)(value >> 16);
	p[6] = (uint8_t)(value >> 8);
	p[7] = (uint8_t)value;
}

/* Append the low `size` bytes (1 to 8) of `value`, most significant first. */
static inline void sink_big(struct sink *s, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	if (s->capacity >= sizeof(bytes) && s->size <= s->capacity - sizeof(bytes)) {
		sink_store(s->data + s->size, value << (64 - 8 * size));
		s->size += size;
		return;
	}
	sink_store(bytes, value << (64 - 8 * size));
	sink_bytes(s, bytes, size);
}

static inline void sink_little(struct sink *s, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sink_u8(s, (uint8_t)(value >> 8 * i));
}

static inline void sink_zeros(struct sink *s, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sink_u8(s, 0);
}

/*
 * Writes into a buffer that grows up to a limit. Failure is sticky, as in reader.h: if an
 * allocation fails or the limit is reached, `failed` is set and nothing more is appended, so the
 * caller checks once at the end.
 *
 *	struct byte_buffer buffer = { .limit = 1 << 20, .big = true };
 *	byte_buffer_number(&buffer, 5, 2);
 *	byte_buffer_uleb(&buffer, 300);
 *	if (buffer.failed)
 *		...
 *	byte_buffer_finish(&buffer);
 */

struct byte_buffer {
	uint8_t *data;
	size_t size, capacity;
	size_t limit;
	bool big;
	bool failed;
	bool full; /* `failed` is set because the limit was reached */
};

void byte_buffer_finish(struct byte_buffer *b);

/* Append `size` uninitialized bytes. Return their address, or NULL if the buffer has failed. */
uint8_t *byte_buffer_extend(struct byte_buffer *b, size_t size);

void byte_buffer_bytes(struct byte_buffer *b, const void *bytes, size_t size);

void byte_buffer_number(struct byte_buffer *b, uint64_t value, unsigned width);
void byte_buffer_long_uleb(struct byte_buffer *b, uint64_t value);
void byte_buffer_long_sleb(struct byte_buffer *b, int64_t value);

static inline void byte_buffer_u8(struct byte_buffer *b, uint8_t byte)
{
	if (b->size < b->capacity && !b->failed)
		b->data[b->size++] = byte;
	else
		byte_buffer_bytes(b, &byte, 1);
}

static inline void byte_buffer_uleb(struct byte_buffer *b, uint64_t value)
{
	if (value < 0x80)
		byte_buffer_u8(b, (uint8_t)value);
	else
		byte_buffer_long_uleb(b, value);
}

static inline void byte_buffer_sleb(struct byte_buffer *b, int64_t value)
{
	if (value >= -0x40 && value < 0x40)
		byte_buffer_u8(b, (uint8_t)((uint64_t)value & 0x7f));
	else
		byte_buffer_long_sleb(b, value);
}

/*
 * Reserve `most` bytes and return their address, or NULL on failure. The caller may write up to
 * `most` bytes, for example with byte_buffer_put_uleb(), and passes the end of the written bytes to
 * byte_buffer_took(). This saves capacity checks when writing several small numbers.
 */
static inline uint8_t *byte_buffer_reserve(struct byte_buffer *b, size_t most)
{
	if (!b->failed && b->capacity - b->size >= most)
		return b->data + b->size;
	uint8_t *at = byte_buffer_extend(b, most);
	b->size -= at ? most : 0;
	return at;
}

static inline void byte_buffer_took(struct byte_buffer *b, const uint8_t *end)
{
	b->size = (size_t)(end - b->data);
}

static inline uint8_t *byte_buffer_put_uleb(uint8_t *to, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

static inline uint8_t *byte_buffer_put_sleb(uint8_t *to, int64_t value)
{
	while (value < -0x40 || value > 0x3f) {
		*to++ = (uint8_t)(((uint64_t)value & 0x7f) | 0x80);
		value = (value - (value & 0x7f)) / 0x80;
	}
	*to++ = (uint8_t)((uint64_t)value & 0x7f);
	return to;
}

enum { BYTE_BUFFER_LEB_MAX = 10 };

/* Return the contents, which are valid until something is appended. */
static inline struct cairn_bytes byte_buffer_view(const struct byte_buffer *b)
{
	return (struct cairn_bytes){ b->data, b->size };
}

void byte_buffer_align(struct byte_buffer *b, size_t alignment);

void byte_buffer_overwrite(struct byte_buffer *b, size_t at, uint64_t value, unsigned width);

#endif
