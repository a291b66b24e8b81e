/* SPDX-License-Identifier: MIT */
/*
 * Appends bytes, fixed-width numbers and LEB128 numbers to a growing buffer and enforces its size
 * limit.
 */
#include "byte_buffer.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096 };

void byte_buffer_finish(struct byte_buffer *b)
{
	free(b->data);
	b->data = NULL;
	b->size = b->room = 0;
}

static bool grow_buffer(struct byte_buffer *b, size_t size)
{
	size_t room = b->room ? b->room : FIRST_CAPACITY;

	if (b->failed || size > b->limit || b->size > b->limit - size) {
		b->failed = true;
		return false;
	}
	room = room < b->limit ? room : b->limit;
	while (room < b->size + size)
		room = room <= b->limit / 2 ? 2 * room : b->limit;
	uint8_t *data = realloc(b->data, room);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->room = room;
	return true;
}

uint8_t *byte_buffer_extend(struct byte_buffer *b, size_t size)
{
	if (b->failed || (size > b->room - b->size && !grow_buffer(b, size)))
		return NULL;
	uint8_t *at = b->data + b->size;
	b->size += size;
	return at;
}

void byte_buffer_bytes(struct byte_buffer *b, const void *bytes, size_t size)
{
	uint8_t *at = size ? byte_buffer_extend(b, size) : NULL;

	if (at)
		memcpy(at, bytes, size);
}

static void store_number(uint8_t *at, uint64_t value, unsigned width, bool big)
{
	for (unsigned i = 0; i < width; i++)
		at[i] = (uint8_t)(value >> 8 * (big ? width - 1 - i : i));
}

void byte_buffer_number(struct byte_buffer *b, uint64_t value, unsigned width)
{
	uint8_t *at = byte_buffer_extend(b, width);

	if (at)
		store_number(at, value, width, b->big);
}

enum { LEB_MAX = 10 };

/* Appends a byte where there is room for it, as there nearly always is; else false. */
static inline bool append_fast(struct byte_buffer *b, uint64_t byte)
{
	if (b->size >= b->room || b->failed)
		return false;
	b->data[b->size++] = (uint8_t)byte;
	return true;
}

void byte_buffer_uleb(struct byte_buffer *b, uint64_t value)
{
	uint8_t bytes[LEB_MAX];
	size_t size = 0;

	if (value < 0x80 && append_fast(b, value))
		return;
	do {
		bytes[size] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
		size++;
	} while (value);
	byte_buffer_bytes(b, bytes, size);
}

void byte_buffer_sleb(struct byte_buffer *b, int64_t value)
{
	uint8_t bytes[LEB_MAX];
	size_t size = 0;
	bool more = true;

	if (value >= -0x40 && value < 0x40 && append_fast(b, (uint64_t)value & 0x7f))
		return;
	while (more) {
		more = value < -0x40 || value > 0x3f;
		bytes[size++] = (uint8_t)(((uint64_t)value & 0x7f) | (more ? 0x80 : 0));
		value = (value - (value & 0x7f)) / 0x80;
	}
	byte_buffer_bytes(b, bytes, size);
}

void byte_buffer_align(struct byte_buffer *b, size_t alignment)
{
	while (!b->failed && b->size % alignment)
		byte_buffer_u8(b, 0);
}

void byte_buffer_overwrite(struct byte_buffer *b, size_t at, uint64_t value, unsigned width)
{
	if (!b->failed)
		store_number(b->data + at, value, width, b->big);
}
