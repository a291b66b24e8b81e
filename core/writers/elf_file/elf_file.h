/* SPDX-License-Identifier: MIT */
/*
 * Writes parts of an ELF file, for writers that do their own layout. `wide` selects ELFCLASS64; the
 * byte order is the buffer's.
 */
#ifndef CAIRN_WRITERS_ELF_FILE_ELF_FILE_H
#define CAIRN_WRITERS_ELF_FILE_ELF_FILE_H

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

/*
 * Patch the header at the start of `out`: the section table of `count` entries is at offset `at`,
 * and its last entry is the section of names.
 */
void elf_file_place_sections(struct byte_buffer *out, bool wide, uint64_t at, uint32_t count);

#endif
