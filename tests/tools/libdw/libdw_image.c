/* SPDX-License-Identifier: MIT */
/* Builds an ELF image of decompressed and relocated DWARF sections for libdw to read. */
#include "libdw_image.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAMES_SIZE = 512,
	SECTIONS = DWARF_SECTION_COUNT + 2, /* with the null section and that of the names */
	TYPE_NAMES = 3,                     /* SHT_STRTAB */
	TYPE_PROGRAM = 1,                   /* SHT_PROGBITS */
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

static void append_integer(struct out *out, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out->bytes[out->at + (out->big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
	out->at += size;
}

static void append_elf_word(struct out *out, uint64_t value)
{
	append_integer(out, value, out->wide ? 8 : 4);
}

static void append_elf_header(struct out *out, const struct elf *elf, size_t sections_at)
{
	memcpy(out->bytes, elf->bytes.data, 16); /* class, order, and what goes with them */
	out->at = 16;
	append_integer(out, ELF_TYPE_EXEC, 2);
	append_integer(out, elf->machine, 2);
	append_integer(out, 1, 4);
	append_elf_word(out, 0);
	append_elf_word(out, 0);
	append_elf_word(out, sections_at);
	append_integer(out, 0, 4);
	append_integer(out, out->wide ? HEADER_64 : HEADER_32, 2);
	append_integer(out, 0, 4); /* size and number of program headers */
	append_integer(out, out->wide ? SECTION_64 : SECTION_32, 2);
	append_integer(out, SECTIONS, 2);
	append_integer(out, SECTIONS - 1, 2);
}

static void append_section_header(struct out *out, uint32_t name, uint32_t type, size_t at,
                                  size_t size)
{
	append_integer(out, name, 4);
	append_integer(out, type, 4);
	append_elf_word(out, 0); /* flags */
	append_elf_word(out, 0); /* address */
	append_elf_word(out, at);
	append_elf_word(out, size);
	append_integer(out, 0, 8); /* link, info */
	append_elf_word(out, type ? 1 : 0);
	append_elf_word(out, 0);
}

static size_t align_image_offset(size_t size)
{
	return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* What the sections do not fill: the headers, what follows a section, and the names at the end. */
static void clear_around_sections(uint8_t *bytes, size_t at,
                                  const size_t sizes[DWARF_SECTION_COUNT])
{
	memset(bytes, 0, at);
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++) {
		const size_t next = at + align_image_offset(sizes[i]);
		memset(bytes + at + sizes[i], 0, next - at - sizes[i]);
		at = next;
	}
	memset(bytes + at, 0, NAMES_SIZE);
}

/*
 * Makes the file without the contents of its sections, of these sizes, which the caller fills in at their places.
 * free() gives it back; NULL: memory is short.
 */
static void *lay_out_image(const struct elf *elf, const size_t sizes[DWARF_SECTION_COUNT],
                           uint8_t *places[DWARF_SECTION_COUNT], size_t *size)
{
	size_t header = elf->wide ? HEADER_64 : HEADER_32;
	size_t entry = elf->wide ? SECTION_64 : SECTION_32;
	size_t table = align_image_offset(header),
	       at = align_image_offset(table + SECTIONS * entry);
	size_t total = at + NAMES_SIZE;

	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++)
		total += align_image_offset(sizes[i]);
	uint8_t *bytes = malloc(total);
	if (!bytes)
		return NULL;
	clear_around_sections(bytes, at, sizes);
	struct out out = { bytes, 0, elf->big, elf->wide };
	append_elf_header(&out, elf, table);
	out.at = table + entry; /* the first one is all zeros */
	char *names = (char *)bytes + total - NAMES_SIZE;
	size_t name = 1;
	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++) {
		const char *text = dwarf_sections_name((enum dwarf_section_kind)i);
		places[i] = bytes + at;
		strcpy(names + name, text);
		append_section_header(&out, (uint32_t)name, TYPE_PROGRAM, at, sizes[i]);
		at += align_image_offset(sizes[i]);
		name += strlen(text) + 1;
	}
	append_section_header(&out, 0, TYPE_NAMES, total - NAMES_SIZE, NAMES_SIZE);
	*size = total;
	return bytes;
}

void *libdw_build_image(const struct dwarf_file *plain, size_t *size)
{
	struct dwarf_sections dwarf = plain->dwarf;
	size_t sizes[DWARF_SECTION_COUNT];
	uint8_t *places[DWARF_SECTION_COUNT];

	for (unsigned i = 0; i < DWARF_SECTION_COUNT; i++)
		sizes[i] = dwarf_sections_get(&dwarf, (enum dwarf_section_kind)i)->size;
	void *bytes = lay_out_image(&plain->elf, sizes, places, size);
	for (unsigned i = 0; bytes && i < DWARF_SECTION_COUNT; i++)
		memcpy(places[i], dwarf_sections_get(&dwarf, (enum dwarf_section_kind)i)->data,
		       sizes[i]);
	return bytes;
}
