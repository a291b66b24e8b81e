/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 4096 };

void buffer_finish(struct buffer *b)
{
	free(b->data);
	b->data = NULL;
	b->size = b->room = 0;
}

static bool grow_buffer(struct buffer *b, size_t size)
{
	size_t room = b->room ? b->room : ROOM_FIRST;

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

uint8_t *buffer_extend(struct buffer *b, size_t size)
{
	if (b->failed || (size > b->room - b->size && !grow_buffer(b, size)))
		return NULL;
	uint8_t *at = b->data + b->size;
	b->size += size;
	return at;
}

void buffer_bytes(struct buffer *b, const void *bytes, size_t size)
{
	uint8_t *at = size ? buffer_extend(b, size) : NULL;

	if (at)
		memcpy(at, bytes, size);
}

static void store_number(uint8_t *at, uint64_t value, unsigned width, bool big)
{
	for (unsigned i = 0; i < width; i++)
		at[i] = (uint8_t)(value >> 8 * (big ? width - 1 - i : i));
}

void buffer_number(struct buffer *b, uint64_t value, unsigned width)
{
	uint8_t *at = buffer_extend(b, width);

	if (at)
		store_number(at, value, width, b->big);
}

enum { LEB_MAX = 10 };

void buffer_uleb(struct buffer *b, uint64_t value)
{
	uint8_t bytes[LEB_MAX];
	size_t size = 0;

	do {
		bytes[size] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
		size++;
	} while (value);
	buffer_bytes(b, bytes, size);
}

void buffer_sleb(struct buffer *b, int64_t value)
{
	uint8_t bytes[LEB_MAX];
	size_t size = 0;
	bool more = true;

	while (more) {
		more = value < -0x40 || value > 0x3f;
		bytes[size++] = (uint8_t)(((uint64_t)value & 0x7f) | (more ? 0x80 : 0));
		value = (value - (value & 0x7f)) / 0x80;
	}
	buffer_bytes(b, bytes, size);
}

void buffer_align(struct buffer *b, size_t alignment)
{
	while (!b->failed && b->size % alignment)
		buffer_u8(b, 0);
}

void buffer_poke(struct buffer *b, size_t at, uint64_t value, unsigned width)
{
	if (!b->failed)
		store_number(b->data + at, value, width, b->big);
}
