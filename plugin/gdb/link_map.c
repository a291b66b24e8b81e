/* SPDX-License-Identifier: MIT */
/*
 * Decodes the dynamic linker's list of modules. On 64-bit machines <link.h> defines:
 *
 *	r_debug  = version:4 pad:4 map:8 brk:8 state:4 pad:4 ldbase:8 [next:8, from version 2 on]
 *	link_map = addr:8 name:8 ld:8 next:8 prev:8 ...
 *
 * DT_DEBUG in the program contains the address of the first r_debug. Each further r_debug describes
 * a namespace created by dlmopen().
 */
#include "link_map.h"

#include <stddef.h>
#include <string.h>

enum {
	ELF_HEADER = 64,
	PROGRAM_HEADER = 56,
	R_DEBUG = 40,
	LINK_MAP = 40,
	PT_DYNAMIC = 2,
	PT_INTERP = 3,
	DT_DEBUG = 21,
};

static bool read_list_bytes(const struct link_map_memory *m, uint64_t address, uint8_t *bytes,
                            int size)
{
	return address <= UINT64_MAX - (uint64_t)(size - 1) &&
	       m->read(m->context, address, bytes, size);
}

static uint64_t read_target_word(const uint8_t *bytes, unsigned size, bool big_endian)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[big_endian ? i : size - 1 - i];
	return value;
}

#define FNV_BASIS 0xcbf29ce484222325

/* Update the hash (FNV-1a over 64-bit words). */
static void mix_hash(uint64_t *hash, const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at + 8 <= size; at += 8)
		*hash = (*hash ^ read_target_word(bytes + at, 8, false)) * 0x100000001b3;
	*hash ^= *hash >> 29;
}

static void mix_head(const struct link_map_memory *m, uint64_t address, uint64_t *hash)
{
	uint8_t head[LINK_MAP_HEAD];

	if (read_list_bytes(m, address, head, LINK_MAP_HEAD))
		mix_hash(hash, head, LINK_MAP_HEAD);
}

/*
 * Hash the list of one namespace, which starts at `at` and may have at most *left elements. Each
 * element must point back to its predecessor, which rules out cycles as long as the memory does not
 * change.
 */
static bool mix_libraries(const struct link_map_memory *m, uint64_t at, unsigned *left,
                          uint64_t *hash)
{
	uint8_t map[LINK_MAP];
	uint64_t previous = 0;

	while (at && *left > 0) {
		--*left;
		if (!read_list_bytes(m, at, map, LINK_MAP) ||
		    read_target_word(map + 32, 8, m->big_endian) != previous)
			return false;
		mix_hash(hash, map, LINK_MAP);
		uint64_t bias = read_target_word(map, 8, m->big_endian);
		if (bias && m->has_symbols(m->context, bias))
			mix_head(m, bias, hash);
		previous = at;
		at = read_target_word(map + 24, 8, m->big_endian);
	}
	return at == 0;
}

static bool mix_namespaces(const struct link_map_memory *m, uint64_t at, uint64_t *hash)
{
	uint8_t debug[R_DEBUG], next[8];
	unsigned left = LINK_MAP_LIBRARIES;

	for (unsigned i = 0; at && i < LINK_MAP_NAMESPACES; i++) {
		if (!read_list_bytes(m, at, debug, R_DEBUG))
			return false;
		mix_hash(hash, debug, R_DEBUG);
		if (!mix_libraries(m, read_target_word(debug + 8, 8, m->big_endian), &left, hash))
			return false;
		bool more = read_target_word(debug, 4, m->big_endian) > 1;
		if (more && !read_list_bytes(m, at + R_DEBUG, next, sizeof(next)))
			return false;
		at = more ? read_target_word(next, 8, m->big_endian) : 0;
	}
	return at == 0;
}

bool link_map_hash(const struct link_map_memory *m, uint64_t program, uint64_t slot, uint64_t *hash)
{
	uint8_t word[8];

	*hash = FNV_BASIS;
	mix_head(m, program, hash);
	if (!read_list_bytes(m, slot, word, sizeof(word)))
		return false;
	uint64_t at = read_target_word(word, 8, m->big_endian);
	/* the address is 0 until the dynamic linker has created its list */
	return at != 0 && mix_namespaces(m, at, hash);
}

static bool find_debug_entry(const struct link_map_memory *m, uint64_t dynamic, uint64_t *slot)
{
	uint8_t entry[16];

	for (unsigned i = 0; i < LINK_MAP_DYNAMIC; i++) {
		uint64_t at = dynamic + (uint64_t)i * sizeof(entry);
		if (!read_list_bytes(m, at, entry, sizeof(entry)))
			return false;
		uint64_t tag = read_target_word(entry, 8, m->big_endian);
		if (tag == DT_DEBUG)
			*slot = at + 8;
		if (tag == DT_DEBUG || tag == 0)
			return tag == DT_DEBUG;
	}
	return false;
}

static bool find_headers(const struct link_map_memory *m, uint64_t program, uint64_t *at,
                         uint64_t *count)
{
	uint8_t header[ELF_HEADER];

	if (!read_list_bytes(m, program, header, ELF_HEADER) || memcmp(header, "\177ELF\2", 5) != 0)
		return false;
	*at = program + read_target_word(header + 32, 8, m->big_endian);
	*count = read_target_word(header + 56, 2, m->big_endian);
	return true;
}

bool link_map_is_alone(const struct link_map_memory *m, uint64_t program)
{
	uint8_t one[PROGRAM_HEADER];
	uint64_t at, count;

	if (!find_headers(m, program, &at, &count) || count == 0 || count > LINK_MAP_HEADERS)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (!read_list_bytes(m, at + i * PROGRAM_HEADER, one, PROGRAM_HEADER))
			return false;
		uint64_t type = read_target_word(one, 4, m->big_endian);
		if (type == PT_DYNAMIC || type == PT_INTERP)
			return false;
	}
	return true;
}

bool link_map_hash_alone(const struct link_map_memory *m, uint64_t program, uint64_t *hash)
{
	uint8_t head[LINK_MAP_HEAD];

	*hash = FNV_BASIS;
	if (!read_list_bytes(m, program, head, LINK_MAP_HEAD))
		return false;
	mix_hash(hash, head, LINK_MAP_HEAD);
	return true;
}

bool link_map_find_slot(const struct link_map_memory *m, uint64_t program, uint64_t bias,
                        uint64_t *slot)
{
	uint8_t one[PROGRAM_HEADER];
	uint64_t at, count;

	if (!find_headers(m, program, &at, &count))
		return false;
	for (unsigned i = 0; i < LINK_MAP_HEADERS && i < count; i++) {
		if (!read_list_bytes(m, at + (uint64_t)i * PROGRAM_HEADER, one, PROGRAM_HEADER))
			return false;
		if (read_target_word(one, 4, m->big_endian) == PT_DYNAMIC)
			return find_debug_entry(
				m, bias + read_target_word(one + 16, 8, m->big_endian), slot);
	}
	return false;
}
