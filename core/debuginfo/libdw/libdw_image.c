/* SPDX-License-Identifier: MIT */
#include "libdw_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAMES_SIZE = 512,
	SECTIONS = PLAIN_SECTIONS + 2, /* with the null section and that of the names */
	TYPE_NAMES = 3,                /* SHT_STRTAB */
	TYPE_PROGRAM = 1,              /* SHT_PROGBITS */
	HEADER_64 = 64,
	HEADER_32 = 52,
	SECTION_64 = 64,
	SECTION_32 = 40,
	ALIGN = 16,
};

/* Where the file is written. */
struct out {
	uint8_t *bytes;
	size_t at;
	bool big, wide;
};

static void put(struct out *out, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out->bytes[out->at + (out->big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
	out->at += size;
}

static void put_word(struct out *out, uint64_t value)
{
	put(out, value, out->wide ? 8 : 4);
}

static void put_header(struct out *out, const struct elf *elf, size_t sections_at)
{
	memcpy(out->bytes, elf->bytes.data, 16); /* class, order, and what goes with them */
	out->at = 16;
	put(out, ELF_TYPE_EXEC, 2);
	put(out, elf->machine, 2);
	put(out, 1, 4);
	put_word(out, 0);
	put_word(out, 0);
	put_word(out, sections_at);
	put(out, 0, 4);
	put(out, out->wide ? HEADER_64 : HEADER_32, 2);
	put(out, 0, 4); /* size and number of program headers */
	put(out, out->wide ? SECTION_64 : SECTION_32, 2);
	put(out, SECTIONS, 2);
	put(out, SECTIONS - 1, 2);
}

static void put_section(struct out *out, uint32_t name, uint32_t type, size_t at, size_t size)
{
	put(out, name, 4);
	put(out, type, 4);
	put_word(out, 0); /* flags */
	put_word(out, 0); /* address */
	put_word(out, at);
	put_word(out, size);
	put(out, 0, 8); /* link, info */
	put_word(out, type ? 1 : 0);
	put_word(out, 0);
}

static size_t aligned(size_t size)
{
	return (size + ALIGN - 1) / ALIGN * ALIGN;
}

void *slow_image(const struct plain *plain, size_t *size)
{
	size_t header = plain->elf.wide ? HEADER_64 : HEADER_32;
	size_t entry = plain->elf.wide ? SECTION_64 : SECTION_32;
	size_t table = aligned(header), at = aligned(table + SECTIONS * entry);
	struct dwarf_sections dwarf = plain->dwarf;
	size_t total = at + NAMES_SIZE;

	for (unsigned i = 0; i < PLAIN_SECTIONS; i++)
		total += aligned(plain_place(&dwarf, (enum plain_section)i)->size);
	uint8_t *bytes = calloc(1, total);
	if (!bytes)
		return NULL;
	struct out out = { bytes, 0, plain->elf.big, plain->elf.wide };
	put_header(&out, &plain->elf, table);
	out.at = table + entry; /* the first one is all zeros */
	char *names = (char *)bytes + total - NAMES_SIZE;
	size_t name = 1;
	for (unsigned i = 0; i < PLAIN_SECTIONS; i++) {
		const struct cairn_bytes *part = plain_place(&dwarf, (enum plain_section)i);
		const char *text = plain_name((enum plain_section)i);
		memcpy(bytes + at, part->data, part->size);
		strcpy(names + name, text);
		put_section(&out, (uint32_t)name, TYPE_PROGRAM, at, part->size);
		at += aligned(part->size);
		name += strlen(text) + 1;
	}
	put_section(&out, 0, TYPE_NAMES, total - NAMES_SIZE, NAMES_SIZE);
	*size = total;
	return bytes;
}
