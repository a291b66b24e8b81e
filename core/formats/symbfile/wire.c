/* SPDX-License-Identifier: MIT */
/* Decodes long varints, skips unknown Protocol Buffers fields and counts packed values. */
#include "wire.h"

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

/* One value that is neither the beginning nor the end of a group. */
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

/* Groups are in each other; their numbers are kept here, and not on the stack of calls. */
bool wire_skip(const uint8_t **at, const uint8_t *end, uint32_t number, enum wire_type type)
{
	uint32_t open[SYMBFILE_GROUPS_MAX];
	unsigned depth = 0;

	for (;;) {
		if (type == WIRE_GROUP) {
			if (depth == SYMBFILE_GROUPS_MAX)
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
