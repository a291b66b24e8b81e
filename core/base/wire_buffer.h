/* SPDX-License-Identifier: MIT */
/*
 * Writes Protocol Buffers fields into a growing buffer; wire_write.h writes into a buffer of known
 * size.
 *
 *	struct byte_buffer out = { .limit = 1 << 20 };
 *	wire_buffer_number(&out, 1, 300);
 *	wire_buffer_bytes(&out, 2, (struct cairn_bytes){ (const uint8_t *)"text", 4 });
 */
#ifndef CAIRN_BASE_WIRE_BUFFER_H
#define CAIRN_BASE_WIRE_BUFFER_H

#include "byte_buffer.h"
#include "wire.h"

/* Write a number. As usual in the format, a field of value 0 is omitted. */
static inline void wire_buffer_number(struct byte_buffer *out, uint32_t field, uint64_t value)
{
	if (value == 0)
		return;
	byte_buffer_uleb(out, field << 3 | (uint32_t)WIRE_VARINT);
	byte_buffer_uleb(out, value);
}

static inline void wire_buffer_bytes(struct byte_buffer *out, uint32_t field,
                                     struct cairn_bytes bytes)
{
	byte_buffer_uleb(out, field << 3 | (uint32_t)WIRE_BYTES);
	byte_buffer_uleb(out, bytes.size);
	if (bytes.size > 0)
		byte_buffer_bytes(out, bytes.data, bytes.size);
}

#endif
