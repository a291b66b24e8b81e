/* SPDX-License-Identifier: MIT */
/* Appends bytes, fixed-width numbers and LEB128 numbers to a growing buffer with a size limit. */
#include "byte_buffer.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096 };

void byte_buffer_finish(struct byte_buffer *b)
{
	free(b->data);
	b->data = NULL;
	b->size = b->capacity = 0;
}

static bool grow_buffer(struct byte_buffer *b, size_t size)
{
	size_t capacity = b->capacity ? b->capacity : FIRST_CAPACITY;

	if (b->failed || size > b->limit || b->size > b->limit - size) {
		b->full |= !b->failed;
		b->failed = true;
		return false;
	}
	capacity = capacity < b->limit ? capacity : b->limit;
	while (capacity < b->size + size)
		capacity = capacity <= b->limit / 2 ? 2 * capacity : b->limit;
	uint8_t *data = realloc(b->data, capacity);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->capacity = capacity;
	return true;
}

uint8_t *byte_buffer_extend(struct byte_buffer *b, size_t size)
{
	if (b->failed || (size > b->capacity - b->size && !grow_buffer(b, size)))
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

static inline void store_bytes(uint8_t *at, uint64_t value, unsigned width, bool big)
{
	for (unsigned i = 0; i < width; i++)
		at[i] = (uint8_t)(value >> 8 * (big ? width - 1 - i : i));
}

/* Store a number. Passing the common widths as constants lets the compiler emit a single store. */
static void store_number(uint8_t *at, uint64_t value, unsigned width, bool big)
{
	if (width == 4 && !big)
		store_bytes(at, value, 4, false);
	else if (width == 8 && !big)
		store_bytes(at, value, 8, false);
	else
		store_bytes(at, value, width, big);
}

void byte_buffer_number(struct byte_buffer *b, uint64_t value, unsigned width)
{
	uint8_t *at = byte_buffer_extend(b, width);

	if (at)
		store_number(at, value, width, b->big);
}

enum { LEB_MAX = 10 };

/*
 * Return the address to which to write a LEB128 number: the end of the buffer or, if fewer than
 * LEB_MAX bytes are free there, `bytes`.
 */
static uint8_t *leb_place(struct byte_buffer *b, uint8_t *bytes)
{
	return !b->failed && b->capacity - b->size >= LEB_MAX ? b->data + b->size : bytes;
}

static void append_leb(struct byte_buffer *b, const uint8_t *at, size_t size, const uint8_t *bytes)
{
	if (at == bytes)
		byte_buffer_bytes(b, bytes, size);
	else
		b->size += size;
}

void byte_buffer_long_uleb(struct byte_buffer *b, uint64_t value)
{
	uint8_t bytes[LEB_MAX], *at = leb_place(b, bytes);
	size_t size = 0;

	for (; value > 0x7f; value >>= 7)
		at[size++] = (uint8_t)(value | 0x80);
	at[size++] = (uint8_t)value;
	append_leb(b, at, size, bytes);
}

void byte_buffer_long_sleb(struct byte_buffer *b, int64_t value)
{
	uint8_t bytes[LEB_MAX], *at = leb_place(b, bytes);
	size_t size = 0;
	bool more = true;

	while (more) {
		more = value < -0x40 || value > 0x3f;
		at[size++] = (uint8_t)(((uint64_t)value & 0x7f) | (more ? 0x80 : 0));
		value = (value - (value & 0x7f)) / 0x80;
	}
	append_leb(b, at, size, bytes);
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
