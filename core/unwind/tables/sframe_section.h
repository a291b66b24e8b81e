/* SPDX-License-Identifier: MIT */
/*
 * Reads the .sframe of any ELF file: linked files and images, files without section headers, and
 * relocatable files, whose relocations state the function addresses.
 *
 * In a relocatable file every section begins at 0. To distinguish their addresses, section n is
 * assumed to be at n << 32; sframe_section_va() forms such an address.
 */
#ifndef CAIRN_UNWIND_TABLES_SFRAME_SECTION_H
#define CAIRN_UNWIND_TABLES_SFRAME_SECTION_H

#include <cairn.h>

#include "formats/elf/elf.h"

struct sframe_section {
	struct cairn_bytes bytes;
	uint64_t address;
	uint32_t section; /* 0 if found through a segment */
};

/*
 * Find the table: a section named .sframe, a section of its type that begins with the magic number,
 * or the segment, whose size is an upper bound. Return NOT_FOUND if the file has no table, or if
 * its bytes are not in this file (as in separate debug files).
 */
enum cairn_status sframe_section_find(const struct elf *elf, struct sframe_section *found);

/*
 * Return the rules, ready for lookups, or NULL if memory is short. The file's bytes are borrowed.
 */
struct cairn_rules *sframe_section_rules(const struct elf *elf,
                                         const struct sframe_section *sframe);

static inline uint64_t sframe_section_va(uint32_t section, uint64_t offset)
{
	return (uint64_t)section << 32 | (offset & UINT32_MAX);
}

#endif
