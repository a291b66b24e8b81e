/* SPDX-License-Identifier: MIT */
/*
 * Protocol buffers on bare pointers: varints, keys, fields, and fields to pass over.  It knows no schema.
 * The loops that decode records spend all their time here, and nearly all numbers have one
 * or two bytes.  Nothing is read at or after `end`.  wire_write.h writes.
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

#include <cairn.h>

/* The way a field's value is stored: the low three bits of its key. */
enum wire_type {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_GROUP = 3,
	WIRE_GROUP_END = 4,
	WIRE_32 = 5,
};

enum {
	WIRE_VARINT_MAX = 10,  /* bytes */
	WIRE_GROUPS_MAX = 100, /* unknown groups in each other, as other readers have it */
};

/* All forms.  False when it does not end before `end`, or has more than 64 bits or ten bytes. */
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

/* A number with a sign, as it was before zig-zag. */
static inline uint64_t wire_zigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* A length and so many bytes. */
static inline bool wire_bytes(const uint8_t **at, const uint8_t *end, struct cairn_bytes *bytes)
{
	uint64_t size;

	if (!wire_varint(at, end, &size) || size > (uint64_t)(end - *at))
		return false;
	*bytes = (struct cairn_bytes){ *at, (size_t)size };
	*at += size;
	return true;
}

/* A key: false for numbers that none may have, and for unknown wire types. */
bool wire_key(const uint8_t **at, const uint8_t *end, uint32_t *number, enum wire_type *type);

/* Passes over the value of a field, groups with all that is in them. */
bool wire_skip(const uint8_t **at, const uint8_t *end, uint32_t number, enum wire_type type);

/* A field of a message. */
struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;           /* of a varint, or of four or eight bytes */
	struct cairn_bytes bytes; /* of WIRE_BYTES; else empty */
	struct cairn_bytes whole; /* with its key, to be carried as it is */
};

/* Reads the next field; *at stays where it was if that fails.  Of a group only `whole` is set. */
bool wire_field(const uint8_t **at, const uint8_t *end, struct wire_field *field);

/* The same of a message, of which `body` is what is left: at a damaged field it stays. */
bool wire_next(struct cairn_bytes *body, struct wire_field *field);

/*
 * The varints of a message by the number of their field: value[0] is field 1; of several the last one counts, and what is
 * missing is 0. Returns what could not be read, which is empty if the message is sound.
 */
struct cairn_bytes wire_read_numbers(struct cairn_bytes body, uint64_t *value, uint32_t count);

/*
 * The numbers of a repeated field, which are packed or alone, one field after the other: each call
 * of wire_number() gives the next one of this field.
 *
 *	struct wire_numbers numbers;
 *	if (!wire_numbers(&field, &numbers))
 *		... neither
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

/*
 * How many varints fill these bytes, each as wire_varint() takes it; false when that is not so.
 */
bool wire_count(const uint8_t *at, const uint8_t *end, uint32_t *count);

#endif
