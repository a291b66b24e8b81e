/* SPDX-License-Identifier: MIT */
/*
 * The .sframe of an ELF file, whatever its kind: linked files and images, files without section
 * headers, and relocatable files, whose functions are where their relocations say.
 *
 * In a relocatable file every section begins at 0.  To tell their addresses apart, section number
 * n is taken to be at n << 32; sframe_section_va() makes such an address.
 */
#ifndef CAIRN_UNWIND_SFRAME_SECTION_H
#define CAIRN_UNWIND_SFRAME_SECTION_H

#include <cairn.h>

#include "formats/elf/elf.h"

struct sframe_section {
	struct cairn_bytes bytes;
	uint64_t address;
	uint32_t section; /* 0 when it was found through a segment */
};

/*
 * Where the table is: a section of that name, one of that type that begins with the magic, or
 * the segment (its size is an upper bound).  NOT_FOUND when there is none, or its bytes are not
 * in this file (as in separate debug files).
 */
enum cairn_status sframe_section_find(const struct elf *elf, struct sframe_section *found);

/* Its rules, ready for lookups; NULL when memory is short.  The file's bytes stay borrowed. */
struct cairn_rules *sframe_section_rules(const struct elf *elf,
                                         const struct sframe_section *sframe);

static inline uint64_t sframe_section_va(uint32_t section, uint64_t offset)
{
	return (uint64_t)section << 32 | (offset & UINT32_MAX);
}

#endif
