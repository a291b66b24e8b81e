/* SPDX-License-Identifier: MIT */
/* ELF files made by hand, of either class and byte order. */
#ifndef CAIRN_TESTS_UNIT_FIXTURE_ELF_H
#define CAIRN_TESTS_UNIT_FIXTURE_ELF_H

#include "fixture_out.h"

struct fixture_section {
	const char *name;
	uint32_t type;
	uint64_t va;
	struct cairn_bytes bytes;
	uint32_t link, info;
};

/* A segment holds the bytes of one section, by its number in the file. */
struct fixture_segment {
	uint32_t type, flags;
	uint64_t va, memory_size;
	uint32_t section;
};

/*
 * Section 0 and, as the last one, the section of names are added.  `hidden`: the counts are in
 * section 0, as when they do not fit 16 bits.
 */
struct fixture_elf {
	bool wide, big, hidden;
	uint16_t type, machine;
	uint64_t entry;
	uint32_t segment_count;
	const struct fixture_segment *segments;
	uint32_t section_count;
	const struct fixture_section *sections;
};

enum { FIXTURE_SECTIONS = 10 };

struct fixture_elf_places {
	size_t segments, sections;      /* the two tables */
	size_t bytes[FIXTURE_SECTIONS]; /* of each section, by its number in the file */
};

void fixture_elf(struct fixture_out *file, const struct fixture_elf *elf,
                 struct fixture_elf_places *places);

/* Sizes of one entry. */
static inline size_t fixture_segment_size(bool wide)
{
	return wide ? 56 : 32;
}

static inline size_t fixture_section_size(bool wide)
{
	return wide ? 64 : 40;
}

/* Append a note, a symbol and a relocation, as sections of them want it. */
void fixture_note(struct fixture_out *section, const char *name, uint32_t type, const char *content,
                  uint32_t size);
void fixture_symbol(struct fixture_out *section, bool wide, uint16_t place, uint64_t value);
void fixture_relocation(struct fixture_out *section, bool wide, uint64_t offset, uint32_t symbol,
                        uint32_t type, uint64_t addend);

#endif
