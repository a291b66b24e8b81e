/* SPDX-License-Identifier: MIT */
/* Allocates memory and counts it, and implements growing buffers and arrays. */
#include "memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_size_t allocated;

CAIRN_JIT_INTERNAL void *cairn_jit_allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (memory)
		atomic_fetch_add_explicit(&allocated, size, memory_order_relaxed);
	return memory;
}

CAIRN_JIT_INTERNAL void cairn_jit_free(void *memory, size_t size)
{
	if (!memory)
		return;
	free(memory);
	atomic_fetch_sub_explicit(&allocated, size, memory_order_relaxed);
}

CAIRN_JIT_INTERNAL size_t cairn_jit_allocated(void)
{
	return atomic_load_explicit(&allocated, memory_order_relaxed);
}

static bool ensure_capacity(struct cairn_jit_bytes *bytes, size_t size)
{
	if (!bytes->failed && size > bytes->capacity - bytes->size) {
		size_t capacity = 2 * bytes->capacity + size + 256;
		uint8_t *data = size < SIZE_MAX / 4 ? cairn_jit_allocate(capacity) : NULL;

		bytes->failed = !data;
		if (data && bytes->size)
			memcpy(data, bytes->data, bytes->size);
		if (data) {
			cairn_jit_free(bytes->data, bytes->capacity);
			bytes->data = data;
			bytes->capacity = capacity;
		}
	}
	return !bytes->failed;
}

CAIRN_JIT_INTERNAL void cairn_jit_put(struct cairn_jit_bytes *bytes, const void *data, size_t size)
{
	if (size && ensure_capacity(bytes, size)) {
		memcpy(bytes->data + bytes->size, data, size);
		bytes->size += size;
	}
}

static void put_byte(struct cairn_jit_bytes *bytes, uint8_t byte)
{
	if (bytes->size < bytes->capacity)
		bytes->data[bytes->size++] = byte;
	else
		cairn_jit_put(bytes, &byte, 1);
}

CAIRN_JIT_INTERNAL void cairn_jit_put_number(struct cairn_jit_bytes *bytes, uint64_t value,
                                             unsigned size)
{
	if (size == 1)
		put_byte(bytes, (uint8_t)value);
	else
		cairn_jit_put(bytes, &value,
		              size); /* all machines in machine.h are little-endian */
}

CAIRN_JIT_INTERNAL void cairn_jit_put_uleb(struct cairn_jit_bytes *bytes, uint64_t value)
{
	do {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		byte |= value ? 0x80 : 0;
		put_byte(bytes, byte);
	} while (value);
}

CAIRN_JIT_INTERNAL void cairn_jit_put_sleb(struct cairn_jit_bytes *bytes, int64_t value)
{
	bool more = true;

	while (more) {
		uint8_t byte = value & 0x7f;

		value = value < 0 ? ~(~value >> 7) : value >> 7;
		more = value != (byte & 0x40 ? -1 : 0);
		byte |= more ? 0x80 : 0;
		put_byte(bytes, byte);
	}
}

CAIRN_JIT_INTERNAL void *cairn_jit_grow(void *array, size_t element, uint32_t count,
                                        uint32_t *capacity)
{
	if (count < *capacity)
		return array;
	uint32_t wanted = *capacity + *capacity / 2 + 8;
	void *larger = wanted > *capacity ? cairn_jit_allocate(wanted * element) : NULL;

	if (!larger)
		return NULL;
	if (array)
		memcpy(larger, array, count * element);
	cairn_jit_free(array, *capacity * element);
	*capacity = wanted;
	return larger;
}
