/* SPDX-License-Identifier: MIT */
/*
 * Follows the dynamic linker's list of loaded modules:
 *
 *	auxv       = (type:W value:W)*
 *	AT_PHDR    -> program headers, of which PT_DYNAMIC -> (tag:W value:W)*
 *	DT_DEBUG   -> r_debug = version:4 pad first:W ...
 *	link_map   = bias:W name:W dynamic:W next:W previous:W
 */
#include "snapshot_modules.h"

#include "base/bytes.h"
#include "formats/elf/elf.h"
#include "unwind/target/memory.h"

#include <string.h>

enum {
	AT_PHDR = 3,
	AT_PHNUM = 5,
	DT_DEBUG = 21,
	DYNAMIC_MAX = 512, /* dynamic entries read; programs have about 40 */
	HEADERS_MAX = 64,
	NAME_MAX_BYTES = 4096,
	NAME_STEP = 64,
};

static bool read_word(const struct snapshot *snapshot, uint64_t address, uint64_t *value)
{
	uint8_t bytes[8];

	if (!memory_read(&snapshot->memory, address, bytes, snapshot->word))
		return false;
	*value = bytes_unsigned(bytes, snapshot->word, snapshot->big_endian);
	return true;
}

bool snapshot_auxv(const struct snapshot *snapshot, uint64_t type, uint64_t *value)
{
	const size_t word = snapshot->word;
	const uint8_t *at = snapshot->auxv.data;

	for (size_t left = snapshot->auxv.size; word > 0 && left >= 2 * word; left -= 2 * word) {
		if (bytes_unsigned(at, word, snapshot->big_endian) == type) {
			*value = bytes_unsigned(at + word, word, snapshot->big_endian);
			return true;
		}
		at += 2 * word;
	}
	return false;
}

/* Find the linked address of the first segment of a type. Return false if not found. */
static bool find_header(const struct snapshot *snapshot, uint64_t headers, uint64_t count,
                        uint32_t type, uint64_t *va)
{
	const bool wide = snapshot->word == 8;
	const size_t size = wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	uint8_t header[ELF_SEGMENT_WIDE];

	for (uint64_t i = 0; i < count && i < HEADERS_MAX; i++) {
		if (!memory_read(&snapshot->memory, headers + i * size, header, size))
			return false;
		if (bytes_u32(header, snapshot->big_endian) != type)
			continue;
		*va = bytes_unsigned(header + (wide ? 16 : 8), snapshot->word,
		                     snapshot->big_endian);
		return true;
	}
	return false;
}

static bool find_debug(const struct snapshot *snapshot, uint64_t dynamic, uint64_t *debug)
{
	uint64_t tag = 1, entry = 2 * (uint64_t)snapshot->word;

	for (uint64_t i = 0; i < DYNAMIC_MAX && tag != 0; i++) {
		if (!read_word(snapshot, dynamic + i * entry, &tag))
			return false;
		if (tag == DT_DEBUG)
			return read_word(snapshot, dynamic + i * entry + snapshot->word, debug) &&
			       *debug != 0;
	}
	return false;
}

static bool find_program_dynamic(const struct snapshot *snapshot, uint64_t *dynamic)
{
	uint64_t headers, count, linked;

	if (!snapshot_auxv(snapshot, AT_PHDR, &headers) ||
	    !snapshot_auxv(snapshot, AT_PHNUM, &count) ||
	    !find_header(snapshot, headers, count, ELF_PT_DYNAMIC, dynamic))
		return false;
	if (find_header(snapshot, headers, count, ELF_PT_PHDR, &linked))
		*dynamic += headers - linked; /* a program without that header is not relocated */
	return true;
}

static bool find_list(const struct snapshot *snapshot, uint64_t dynamic, uint64_t *first)
{
	uint64_t debug;

	if (dynamic == 0 && !find_program_dynamic(snapshot, &dynamic))
		return false;
	return find_debug(snapshot, dynamic, &debug) &&
	       read_word(snapshot, debug + snapshot->word, first);
}

static struct cairn_bytes read_link_name(const struct snapshot *snapshot, uint64_t address,
                                         uint8_t *buffer)
{
	size_t size = 0;

	while (size < NAME_MAX_BYTES) {
		size_t got = memory_read_some(&snapshot->memory, address + size, buffer + size,
		                              NAME_STEP);
		const uint8_t *end = got ? memchr(buffer + size, 0, got) : NULL;
		if (end)
			return (struct cairn_bytes){ buffer, (size_t)(end - buffer) };
		size += got;
		if (got < NAME_STEP)
			break;
	}
	return (struct cairn_bytes){ buffer, 0 };
}

static bool read_link_entry(const struct snapshot *snapshot, uint64_t at, uint8_t *buffer,
                            struct link_map_entry *entry)
{
	const uint64_t word = snapshot->word;
	uint64_t name;

	if (!read_word(snapshot, at, &entry->bias) || !read_word(snapshot, at + word, &name) ||
	    !read_word(snapshot, at + 2 * word, &entry->dynamic))
		return false;
	entry->name = read_link_name(snapshot, name, buffer);
	return true;
}

void snapshot_link_map(const struct snapshot *snapshot, uint64_t dynamic, link_map_visit *visit,
                       void *context)
{
	uint8_t buffer[NAME_MAX_BYTES + NAME_STEP];
	struct link_map_entry entry;
	uint64_t at, word = snapshot->word;

	if ((word != 4 && word != 8) || !find_list(snapshot, dynamic, &at))
		return;
	for (unsigned i = 0; at != 0 && i < LINK_MAP_MAX; i++) {
		if (!read_link_entry(snapshot, at, buffer, &entry) || !visit(context, &entry) ||
		    !read_word(snapshot, at + 3 * word, &at))
			return;
	}
}
