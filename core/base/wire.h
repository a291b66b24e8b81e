/* SPDX-License-Identifier: MIT */
/*
 * Decodes varints, keys and fields of Protocol Buffers, without a schema. Never reads at or after
 * `end`. Positions are bare pointers, because the loops that decode records spend all of their time
 * here; nearly all numbers take one or two bytes.
 *
 *	const uint8_t *at = body.data, *end = at + body.size;
 *	struct wire_field field;
 *	while (at < end) {
 *		if (!wire_field(&at, end, &field))
 *			... malformed, at `at`
 *		switch (field.number) {
 *		case 1: ... field.value, if field.type == WIRE_VARINT
 *		case 2: ... field.bytes, if field.type == WIRE_BYTES
 *		}
 *	}
 */
#ifndef CAIRN_BASE_WIRE_H
#define CAIRN_BASE_WIRE_H

#include "byte_buffer.h"
#include "invariant.h"

#include <cairn.h>

/* encoding of a field's value: the low three bits of its key */
enum wire_type {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_GROUP = 3,
	WIRE_GROUP_END = 4,
	WIRE_32 = 5,
};

enum {
	WIRE_VARINT_MAX = 10,
	/* maximum nesting depth of unknown groups, as in other decoders */
	WIRE_GROUPS_MAX = 100,
};

/*
 * Read a varint of any length. Return false if it does not end before `end`, or has more than 64
 * bits or ten bytes.
 */
bool wire_varint_multibyte(const uint8_t **at, const uint8_t *end, uint64_t *value);

static inline bool wire_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *p = *at;

	if (end - p >= 3) {
		if (p[0] < 0x80) {
			*value = p[0];
			*at = p + 1;
			return true;
		}
		if (p[1] < 0x80) {
			*value = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
			*at = p + 2;
			return true;
		}
		if (p[2] < 0x80) {
			*value = (uint64_t)(p[0] & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 |
			         (uint64_t)p[2] << 14;
			*at = p + 3;
			return true;
		}
	} else if (p < end && p[0] < 0x80) {
		*value = p[0];
		*at = p + 1;
		return true;
	} else if (end - p == 2 && p[1] < 0x80) {
		*value = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
		*at = end;
		return true;
	}
	return wire_varint_multibyte(at, end, value);
}

static inline uint64_t wire_zigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

static inline bool wire_bytes(const uint8_t **at, const uint8_t *end, struct cairn_bytes *bytes)
{
	uint64_t size;

	if (!wire_varint(at, end, &size) || size > (uint64_t)(end - *at))
		return false;
	*bytes = (struct cairn_bytes){ *at, (size_t)size };
	*at += size;
	return true;
}

/* Read a key. Return false for invalid field numbers and unknown wire types. */
bool wire_key(const uint8_t **at, const uint8_t *end, uint32_t *number, enum wire_type *type);

/* Skip the value of a field. A group is skipped with its contents. */
bool wire_skip(const uint8_t **at, const uint8_t *end, uint32_t number, enum wire_type type);

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;           /* varint, or integer of fixed size */
	struct cairn_bytes bytes; /* contents of a WIRE_BYTES field; otherwise empty */
	struct cairn_bytes whole; /* encoded field including its key, for copying unknown fields */
};

/* Read the next field. On failure *at is unchanged. For a group, only `whole` is set. */
bool wire_field(const uint8_t **at, const uint8_t *end, struct wire_field *field);

/*
 * Read the next field and remove it from `body`, the unread rest of the message. A damaged field is
 * not removed.
 */
bool wire_next(struct cairn_bytes *body, struct wire_field *field);

/*
 * Read the varint fields of a message: value[n - 1] is set to field n. If a field occurs several
 * times, the last one counts; a missing field is 0. Return the unreadable rest, which is empty if
 * the message is valid.
 */
struct cairn_bytes wire_read_numbers(struct cairn_bytes body, uint64_t *value, uint32_t count);

/*
 * Iterator over the numbers in one occurrence of a repeated field, which may be packed.
 * wire_number() returns the next number.
 *
 *	struct wire_numbers numbers;
 *	if (!wire_numbers(&field, &numbers))
 *		... neither a packed list nor a number
 *	while (wire_number(&numbers, &value))
 *		...
 *	if (numbers.at < numbers.end)
 *		... malformed
 */
struct wire_numbers {
	const uint8_t *at, *end;
};

bool wire_numbers(const struct wire_field *field, struct wire_numbers *numbers);

static inline bool wire_number(struct wire_numbers *numbers, uint64_t *value)
{
	return numbers->at < numbers->end && wire_varint(&numbers->at, numbers->end, value);
}

/* Count the varints in a packed list. Return false if one of them is invalid. */
bool wire_count(const uint8_t *at, const uint8_t *end, uint32_t *count);

/*
 * Writes Protocol Buffers fields into a sink. The size of a nested message precedes it, so the
 * message is first written to a sink without capacity to measure it:
 *
 *	wire_put_number(&out, 1, 300);
 *	wire_put_bytes(&out, 2, text);
 *	wire_put_head(&out, 3, measured.size);
 *	... the message itself
 */

static inline void wire_put_wide_varint(struct sink *out, uint64_t value)
{
	while (value >= 0x80) {
		sink_u8(out, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	sink_u8(out, (uint8_t)value);
}

/* Write a varint. The inlined case covers keys and most numbers, which take one byte. */
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

/*
 * Write a message that consists of `count` numbers with the field numbers 1, 2, ... Zeros are
 * omitted.
 */
static inline void wire_put_numbers(struct sink *out, uint32_t field, const uint64_t *value,
                                    uint32_t count)
{
	uint8_t memory[WIRE_NUMBERS_MAX * (1 + WIRE_VARINT_MAX)];
	struct sink message = sink_open(memory, sizeof(memory));

	/*
	 * check `count` here: a full sink does not fail, but only counts the bytes beyond its
	 * capacity
	 */
	INVARIANT(count <= WIRE_NUMBERS_MAX);
	for (uint32_t i = 0; i < count; i++)
		if (value[i] != 0)
			wire_put_number(&message, i + 1, value[i]);
	wire_put_bytes(out, field, (struct cairn_bytes){ memory, message.size });
}

/*
 * Writes Protocol Buffers fields into a growing buffer. The functions above write into a buffer of
 * fixed size.
 *
 *	struct byte_buffer out = { .limit = 1 << 20 };
 *	wire_buffer_number(&out, 1, 300);
 *	wire_buffer_bytes(&out, 2, (struct cairn_bytes){ (const uint8_t *)"text", 4 });
 */

/* Write a numeric field. A value of 0 is omitted, as usual in Protocol Buffers. */
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
