/* SPDX-License-Identifier: MIT */
/*
 * Builds an ELF file in a buffer, in the order of its bytes: the header, program headers, and
 * sections, each where its contents are. `wide` selects ELFCLASS64; the byte order is the
 * buffer's.
 *
 *	struct elf_builder b = { .out = &out, .wide = true };
 *	elf_builder_section(&b, "", 0);
 *	elf_file_header(&out, true, machine, entry, 1);
 *	elf_file_segment(&out, true, &segment);
 *	elf_builder_contents(&b, ".debug_frame", ELF_SHT_PROGBITS, frames)->alignment = 8;
 *	elf_builder_finish(&b);
 */
#ifndef CAIRN_WRITERS_ELF_ELF_BUILDER_H
#define CAIRN_WRITERS_ELF_ELF_BUILDER_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum { ELF_FILE_HEADER = 64, ELF_FILE_SYMBOL = 24 }; /* sizes in ELFCLASS64 */
struct elf_file_symbol {
	uint32_t name; /* offset in the string table */
	uint16_t section;
	uint8_t info; /* binding and type, as in st_info */
	uint64_t va, size;
};

/*
 * Write the header of a shared object without sections. Its program headers must follow directly.
 */
void elf_file_header(struct byte_buffer *out, bool wide, uint16_t machine, uint64_t entry,
                     uint32_t segments);

/* Write a program header. The physical address is set to the virtual one. */
void elf_file_segment(struct byte_buffer *out, bool wide, const struct elf_segment *s);

/* Write a section header. `name` is an offset in the section of names. */
void elf_file_section(struct byte_buffer *out, bool wide, uint32_t name,
                      const struct elf_section *s);

void elf_file_symbol(struct byte_buffer *out, bool wide, const struct elf_file_symbol *symbol);

size_t elf_file_note_size(struct cairn_bytes build_id);

void elf_file_note(struct byte_buffer *out, struct cairn_bytes build_id);

enum { ELF_BUILDER_SECTIONS = CAIRN_SECTIONS + 16 };

struct elf_builder {
	struct byte_buffer *out;
	bool wide;
	/*
	 * Contents of .shstrtab, which has the name of every section. Empty to have it written from
	 * the names in the order of the sections.
	 */
	struct {
		const char *data;
		size_t size;
	} names;
	unsigned count;
	struct {
		char name[CAIRN_SECTION_NAME];
		struct elf_section header;
	} section[ELF_BUILDER_SECTIONS];
};

/*
 * Add a section at the current end of the file, and return its header for the caller to complete.
 * The first section must be the null section. Callers add at most ELF_BUILDER_SECTIONS - 1.
 */
struct elf_section *elf_builder_section(struct elf_builder *b, const char *name, uint32_t type);

struct elf_section *elf_builder_contents(struct elf_builder *b, const char *name, uint32_t type,
                                         struct cairn_bytes contents);

/* Let linkers merge the strings of a section. */
void elf_builder_are_strings(struct elf_section *s);

/* Add the note of a build ID, unless the build ID is empty. */
void elf_builder_build_id(struct elf_builder *b, struct cairn_bytes build_id);

/*
 * Begin the symbol table with its null symbol. The caller writes the others, sets `info` to the
 * index of the first global one, and ends the table. The next section must have the names.
 */
struct elf_section *elf_builder_begin_symbols(struct elf_builder *b);
void elf_builder_end_symbols(struct elf_builder *b);

/* Add .shstrtab and the section table, and complete the header at the start of the file. */
void elf_builder_finish(struct elf_builder *b);

#endif
