/* SPDX-License-Identifier: MIT */
/* Checks the parts, units, names and vectors of a .gdb_index. */
#include "check_name_index.h"

#include "base/bytes.h"

#include <string.h>

enum {
	HEADER = 24,
	UNIT = 16,
	ADDRESS = 20,
	SLOT = 8,
	TYPE_SYMBOL = 1,
	FUNCTION_SYMBOL = 3,
};

struct index {
	struct cairn_bytes bytes;
	uint32_t part[5]; /* units, type units, addresses, slots, pool */
	uint32_t units, slots;
};

static uint32_t word(const struct index *x, uint32_t at)
{
	return bytes_u32(x->bytes.data + at, false);
}

static const char *open_index(struct index *x)
{
	if (x->bytes.size < HEADER || word(x, 0) != 8)
		return "an index of another version";
	for (unsigned i = 0; i < 5; i++) {
		x->part[i] = word(x, 4 + 4 * i);
		if (x->part[i] < (i ? x->part[i - 1] : HEADER) || x->part[i] > x->bytes.size)
			return "parts of the index out of order";
	}
	x->units = (x->part[1] - x->part[0]) / UNIT;
	x->slots = (x->part[4] - x->part[3]) / SLOT;
	if (x->slots == 0 || (x->slots & (x->slots - 1)))
		return "a hash table of an odd size";
	return x->part[2] == x->part[1] ? NULL : "type units in the index";
}

/* The units follow each other, as they do in .debug_info. */
static const char *check_index_units(const struct index *x, struct cairn_bytes info, bool big)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < x->units; i++) {
		const uint8_t *p = x->bytes.data + x->part[0] + i * UNIT;
		const uint64_t size = bytes_u64(p + 8, false);
		if (bytes_u64(p, false) != at || info.size - at < 4 ||
		    size != (uint64_t)bytes_u32(info.data + at, big) + 4)
			return "a unit of the index";
		at += size;
	}
	for (uint32_t p = x->part[2]; p + ADDRESS <= x->part[3]; p += ADDRESS)
		if (bytes_u64(x->bytes.data + p, false) >=
		            bytes_u64(x->bytes.data + p + 8, false) ||
		    word(x, p + 16) >= x->units)
			return "an address of the index";
	return at == info.size ? NULL : "units that are not in the index";
}

/* As GDB 7.4 and later hash it. */
static uint32_t hash(const char *name)
{
	uint32_t sum = 0;

	for (; *name; name++) {
		const char c = *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name;
		sum = sum * 67 + (uint8_t)c - 113;
	}
	return sum;
}

static const char *check_vector(const struct index *x, uint64_t at)
{
	if (at + 4 > x->bytes.size)
		return "a vector outside of the index";
	const uint32_t count = word(x, (uint32_t)at);
	if (count == 0 || count > (x->bytes.size - at - 4) / 4)
		return "the size of a vector";
	for (uint32_t i = 1; i <= count; i++) {
		const uint32_t value = word(x, (uint32_t)at + 4 * i), kind = value >> 28 & 7;
		if ((value & 0xffffff) >= x->units ||
		    (kind != TYPE_SYMBOL && kind != FUNCTION_SYMBOL))
			return "a unit of a name";
	}
	return NULL;
}

/* Does the search of a name come to this slot?  A name before it on the way is another one. */
static bool is_found(const struct index *x, const char *name, uint32_t slot)
{
	const uint32_t sum = hash(name), step = ((sum * 17) & (x->slots - 1)) | 1;

	for (uint32_t at = sum & (x->slots - 1), tries = 0; tries < x->slots; tries++) {
		const uint32_t text = word(x, x->part[3] + at * SLOT);
		if (at == slot || text == 0)
			return at == slot;
		if (strcmp((const char *)x->bytes.data + x->part[4] + text, name) == 0)
			return false;
		at = (at + step) & (x->slots - 1);
	}
	return false;
}

static const char *check_slot(const struct index *x, uint32_t slot)
{
	const uint32_t p = x->part[3] + slot * SLOT;
	const uint64_t text = (uint64_t)x->part[4] + word(x, p);

	if (word(x, p) == 0)
		return word(x, p + 4) == 0 ? NULL : "a slot without a name";
	if (text >= x->bytes.size || !memchr(x->bytes.data + text, 0, x->bytes.size - text))
		return "a name outside of the index";
	if (!is_found(x, (const char *)x->bytes.data + text, slot))
		return "a name that is not found";
	return check_vector(x, (uint64_t)x->part[4] + word(x, p + 4));
}

const char *check_name_index(struct cairn_bytes index, struct cairn_bytes info, bool big)
{
	struct index x = { .bytes = index };

	if (index.size == 0)
		return NULL;
	const char *flaw = open_index(&x);
	if (!flaw)
		flaw = check_index_units(&x, info, big);
	for (uint32_t i = 0; !flaw && i < x.slots; i++)
		flaw = check_slot(&x, i);
	return flaw;
}

size_t count_index_names(struct cairn_bytes index)
{
	struct index x = { .bytes = index };
	size_t count = 0;

	if (index.size == 0 || open_index(&x))
		return 0;
	for (uint32_t i = 0; i < x.slots; i++)
		count += word(&x, x.part[3] + i * SLOT) != 0;
	return count;
}
