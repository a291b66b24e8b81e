/* SPDX-License-Identifier: MIT */
/*
 * Builds an ELF file in a buffer from start to end: the header, the program headers, then each
 * section with its contents. `wide` selects ELFCLASS64; the byte order is the buffer's.
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

enum { ELF_FILE_HEADER = 64, ELF_FILE_SYMBOL = 24 };
struct elf_file_symbol {
	uint32_t name;
	uint16_t section;
	uint8_t info;
	uint64_t va, size;
};

/*
 * Write the header of a shared object without a section table. The program headers must follow
 * immediately.
 */
void elf_file_header(struct byte_buffer *out, bool wide, uint16_t machine, uint64_t entry,
                     uint32_t segments);

/* Write a program header. The physical address equals the virtual address. */
void elf_file_segment(struct byte_buffer *out, bool wide, const struct elf_segment *s);

/* Write a section header. `name` is an offset in the section name table. */
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
	 * Prepared contents of .shstrtab, which must include the name of every section. If empty,
	 * the table is created from the names in section order.
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
 * Add a section at the current end of the file, and return its header, which the caller completes.
 * The first section must be the null section. At most ELF_BUILDER_SECTIONS - 1 may be added.
 */
struct elf_section *elf_builder_section(struct elf_builder *b, const char *name, uint32_t type);

struct elf_section *elf_builder_contents(struct elf_builder *b, const char *name, uint32_t type,
                                         struct cairn_bytes contents);

/* Set the flags that let linkers merge the section's strings. */
void elf_builder_are_strings(struct elf_section *s);

void elf_builder_build_id(struct elf_builder *b, struct cairn_bytes build_id);

/*
 * Begin the symbol table with its null symbol. The caller writes the other symbols, sets `info` to
 * the index of the first global symbol, and ends the table. The next section must be the string
 * table.
 */
struct elf_section *elf_builder_begin_symbols(struct elf_builder *b);
void elf_builder_end_symbols(struct elf_builder *b);

void elf_builder_finish(struct elf_builder *b);

#endif
