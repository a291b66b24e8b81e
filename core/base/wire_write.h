/* SPDX-License-Identifier: MIT */
/*
 * Writes Protocol Buffers fields into a sink. The size of a nested message precedes it, so the
 * message is first written to a sink without capacity to measure it:
 *
 *	wire_put_number(&out, 1, 300);
 *	wire_put_bytes(&out, 2, text);
 *	wire_put_head(&out, 3, measured.size);
 *	... the message itself
 */
#ifndef CAIRN_BASE_WIRE_WRITE_H
#define CAIRN_BASE_WIRE_WRITE_H

#include "invariant.h"
#include "sink.h"
#include "wire.h"

static inline void wire_put_wide_varint(struct sink *out, uint64_t value)
{
	while (value >= 0x80) {
		sink_u8(out, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	sink_u8(out, (uint8_t)value);
}

/* Write a varint. Inlined for keys and most numbers, which have one byte. */
static inline void wire_put_varint(struct sink *out, uint64_t value)
{
	if (value < 0x80)
		sink_u8(out, (uint8_t)value);
	else
		wire_put_wide_varint(out, value);
}

static inline size_t wire_varint_size(uint64_t value)
{
	size_t size = 1;

	for (; value >= 0x80; value >>= 7)
		size++;
	return size;
}

static inline void wire_put_key(struct sink *out, uint32_t number, enum wire_type type)
{
	wire_put_varint(out, number << 3 | (uint32_t)type);
}

static inline void wire_put_number(struct sink *out, uint32_t number, uint64_t value)
{
	wire_put_key(out, number, WIRE_VARINT);
	wire_put_varint(out, value);
}

static inline void wire_put_head(struct sink *out, uint32_t number, size_t size)
{
	wire_put_key(out, number, WIRE_BYTES);
	wire_put_varint(out, size);
}

static inline void wire_put_bytes(struct sink *out, uint32_t number, struct cairn_bytes bytes)
{
	wire_put_head(out, number, bytes.size);
	sink_bytes(out, bytes.data, bytes.size);
}

enum { WIRE_NUMBERS_MAX = 10 };

/* Write a message of `count` numbers with the field numbers 1, 2, ... Zeros are omitted. */
static inline void wire_put_numbers(struct sink *out, uint32_t field, const uint64_t *value,
                                    uint32_t count)
{
	uint8_t memory[WIRE_NUMBERS_MAX * (1 + WIRE_VARINT_MAX)];
	struct sink message = sink_open(memory, sizeof(memory));

	INVARIANT(count <= WIRE_NUMBERS_MAX); /* a full sink would continue to count */
	for (uint32_t i = 0; i < count; i++)
		if (value[i] != 0)
			wire_put_number(&message, i + 1, value[i]);
	wire_put_bytes(out, field, (struct cairn_bytes){ memory, message.size });
}

#endif
