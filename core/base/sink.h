/* SPDX-License-Identifier: MIT */
/*
 * Output into a buffer of the caller. When the buffer is full, nothing more is stored but
 * everything is still counted, as with snprintf(), so that `size` is the size that the buffer
 * should have had. Allocates nothing, so it can be used where allocation is forbidden.
 *
 *	struct sink out = sink_open(buffer, sizeof(buffer));
 *	sink_u8(&out, 2);
 *	if (!sink_fits(&out))
 *		... out.size bytes are needed
 */
#ifndef CAIRN_BASE_SINK_H
#define CAIRN_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sink {
	uint8_t *data;
	size_t room;
	size_t size; /* number of bytes added, stored or not */
};

static inline struct sink sink_open(void *buffer, size_t room)
{
	return (struct sink){ .data = buffer, .room = room };
}

static inline bool sink_fits(const struct sink *s)
{
	return s->size <= s->room;
}

static inline void sink_u8(struct sink *s, uint8_t byte)
{
	if (s->size < s->room)
		s->data[s->size] = byte;
	s->size++;
}

static inline void sink_bytes(struct sink *s, const uint8_t *data, size_t size)
{
	if (sink_fits(s) && size <= s->room - s->size && size > 0)
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

/* Add the low `size` bytes (1 to 8) of `value`, most significant first. */
static inline void sink_big(struct sink *s, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	if (s->room >= sizeof(bytes) && s->size <= s->room - sizeof(bytes)) {
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

#endif
