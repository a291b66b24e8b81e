/* SPDX-License-Identifier: MIT */
/*
 * Decodes long varints and fields of Protocol Buffers, skips unknown fields, and counts packed
 * values.
 */
#include "wire.h"
#include "bytes.h"

#include <string.h>

bool wire_varint_multibyte(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	uint64_t sum = 0;
	const uint8_t *p = *at;

	for (unsigned i = 0; i < WIRE_VARINT_MAX && p < end; i++) {
		uint8_t byte = *p++;
		if (i == WIRE_VARINT_MAX - 1 && byte > 1)
			return false;
		sum |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*value = sum;
			*at = p;
			return true;
		}
	}
	return false;
}

bool wire_key(const uint8_t **at, const uint8_t *end, uint32_t *number, enum wire_type *type)
{
	uint64_t key;

	if (!wire_varint(at, end, &key) || key > UINT32_MAX || key >> 3 == 0 || (key & 7) > WIRE_32)
		return false;
	*number = (uint32_t)(key >> 3);
	*type = (enum wire_type)(key & 7);
	return true;
}

static bool skip_fixed(const uint8_t **at, const uint8_t *end, size_t size)
{
	if (size > (size_t)(end - *at))
		return false;
	*at += size;
	return true;
}

static bool skip_plain(const uint8_t **at, const uint8_t *end, enum wire_type type)
{
	struct cairn_bytes bytes;
	uint64_t value;

	switch (type) {
	case WIRE_VARINT:
		return wire_varint(at, end, &value);
	case WIRE_64:
		return skip_fixed(at, end, 8);
	case WIRE_BYTES:
		return wire_bytes(at, end, &bytes);
	case WIRE_32:
		return skip_fixed(at, end, 4);
	case WIRE_GROUP:
	case WIRE_GROUP_END:
		break;
	}
	return false;
}

/* Skip a value. Nested groups are tracked in an array instead of by recursion. */
bool wire_skip(const uint8_t **at, const uint8_t *end, uint32_t number, enum wire_type type)
{
	uint32_t open[WIRE_GROUPS_MAX];
	unsigned depth = 0;

	for (;;) {
		if (type == WIRE_GROUP) {
			if (depth == WIRE_GROUPS_MAX)
				return false;
			open[depth++] = number;
		} else if (type == WIRE_GROUP_END) {
			if (depth == 0 || open[depth - 1] != number)
				return false;
			depth--;
		} else if (!skip_plain(at, end, type)) {
			return false;
		}
		if (depth == 0)
			return true;
		if (!wire_key(at, end, &number, &type))
			return false;
	}
}

static bool read_field_value(const uint8_t **at, const uint8_t *end, struct wire_field *field)
{
	const uint8_t *start = *at;

	field->value = 0;
	field->bytes = (struct cairn_bytes){ start, 0 };
	if (field->type == WIRE_VARINT)
		return wire_varint(at, end, &field->value);
	if (field->type == WIRE_BYTES)
		return wire_bytes(at, end, &field->bytes);
	if (!wire_skip(at, end, field->number, field->type))
		return false;
	if (field->type == WIRE_64)
		field->value = bytes_u64(start, false);
	else if (field->type == WIRE_32)
		field->value = bytes_u32(start, false);
	return true;
}

bool wire_field(const uint8_t **at, const uint8_t *end, struct wire_field *field)
{
	const uint8_t *p = *at;

	if (!wire_key(&p, end, &field->number, &field->type) || !read_field_value(&p, end, field))
		return false;
	field->whole = (struct cairn_bytes){ *at, (size_t)(p - *at) };
	*at = p;
	return true;
}

bool wire_next(struct cairn_bytes *body, struct wire_field *field)
{
	const uint8_t *at = body->data, *end = at + body->size;

	if (body->size == 0 || !wire_field(&at, end, field))
		return false;
	*body = (struct cairn_bytes){ at, (size_t)(end - at) };
	return true;
}

struct cairn_bytes wire_read_numbers(struct cairn_bytes body, uint64_t *value, uint32_t count)
{
	struct wire_field field;

	memset(value, 0, count * sizeof(*value));
	while (wire_next(&body, &field))
		if (field.type == WIRE_VARINT && field.number <= count)
			value[field.number - 1] = field.value;
	return body;
}

/* Set up the iterator. For a single number, decode the key again to find the varint after it. */
bool wire_numbers(const struct wire_field *field, struct wire_numbers *numbers)
{
	const uint8_t *at = field->whole.data, *end = at + field->whole.size;
	uint64_t key;

	if (field->type == WIRE_BYTES)
		*numbers = (struct wire_numbers){ field->bytes.data,
			                          field->bytes.data + field->bytes.size };
	else if (field->type == WIRE_VARINT && wire_varint(&at, end, &key))
		*numbers = (struct wire_numbers){ at, end };
	else
		return false;
	return true;
}

bool wire_count(const uint8_t *at, const uint8_t *end, uint32_t *count)
{
	uint32_t sum = 0;
	uint64_t value;

	while (at < end) {
		if (*at < 0x80)
			at++;
		else if (end - at >= 2 && at[1] < 0x80)
			at += 2;
		else if (!wire_varint(&at, end, &value))
			return false;
		sum++;
	}
	*count = sum;
	return true;
}
