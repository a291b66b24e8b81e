/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the memory of a process with a dynamic linker.  Always:
 *   - each walk has at most the stated number of reads, of the stated size, and none that wraps;
 *   - a slot is found where an entry of 16 bytes was read;
 *   - memory that stands still has one number, and one answer whether there is one;
 *   - a read that fails never makes an unknown list a known one.
 */
#include "fuzz.h"

#include "link_map.h"

#include <string.h>

enum {
	BIG = 1,
	HIGH = 2,       /* the memory is the end of the address space */
	EVERYWHERE = 4, /* all addresses can be read */
	SYMBOLS = 8,    /* symbols are held for every library */
	ORDERS = 2,     /* bytes in front of the memory: the flags above, and the read that fails */
};

#define BASE 0x10000ull

struct memory {
	const uint8_t *data;
	size_t size;
	unsigned flags;
	uint64_t base;
	unsigned long reads, refuse_at;
	uint64_t last; /* address of the last read */
};

static bool serve(void *context, uint64_t address, uint8_t *bytes, int size)
{
	struct memory *m = context;
	uint64_t at = address - m->base;

	ALWAYS(size > 0 && size <= LINK_MAP_LARGEST_READ);
	ALWAYS(address <= UINT64_MAX - (uint64_t)(size - 1));
	m->last = address;
	if (++m->reads == m->refuse_at)
		return false;
	if (m->flags & EVERYWHERE) {
		for (int i = 0; i < size; i++)
			bytes[i] = m->data[(at + (uint64_t)i) % m->size];
		return true;
	}
	if (at >= m->size || (uint64_t)size > m->size - at)
		return false;
	memcpy(bytes, m->data + at, (size_t)size);
	return true;
}

static bool has_symbols(void *context, uint64_t bias)
{
	const struct memory *m = context;

	return m->flags & SYMBOLS && bias;
}

static bool hash_once(struct memory *m, uint64_t slot, uint64_t *hash)
{
	const struct link_map_memory lent = { serve, has_symbols, m, m->flags & BIG };

	m->reads = 0;
	bool known = link_map_hash(&lent, m->base, slot, hash);
	ALWAYS(m->reads <= LINK_MAP_HASH_READS);
	return known;
}

static bool find_once(struct memory *m, uint64_t *slot)
{
	const struct link_map_memory lent = { serve, has_symbols, m, m->flags & BIG };

	m->reads = 0;
	bool alone = link_map_is_alone(&lent, m->base);
	ALWAYS(m->reads <= 1 + LINK_MAP_HEADERS);
	m->reads = 0;
	bool found = link_map_find_slot(&lent, m->base, m->base, slot);
	ALWAYS(m->reads <= LINK_MAP_SLOT_READS);
	ALWAYS(!found || !alone || m->refuse_at);
	ALWAYS(!found || *slot == m->last + 8);
	return found;
}

static void check_hash(struct memory *m, uint64_t slot, unsigned long refuse_at)
{
	uint64_t hash, again;

	m->refuse_at = 0;
	bool known = hash_once(m, slot, &hash);
	ALWAYS(hash_once(m, slot, &again) == known && (!known || hash == again));
	m->refuse_at = refuse_at;
	ALWAYS(!hash_once(m, slot, &again) || known);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory m = { 0 };
	uint64_t slot = 1;

	if (size <= ORDERS)
		return 0;
	m.data = data + ORDERS;
	m.size = size - ORDERS;
	m.flags = data[0];
	m.base = m.flags & HIGH ? 0 - (uint64_t)m.size : BASE;
	if (find_once(&m, &slot))
		check_hash(&m, slot, data[1]);
	else
		ALWAYS(slot == 1);
	check_hash(&m, m.base + 64, data[1]); /* whatever the headers are */
	m.refuse_at = data[1];
	(void)find_once(&m, &slot);
	return 0;
}
