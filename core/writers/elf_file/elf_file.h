/* SPDX-License-Identifier: MIT */
/*
 * Parts of an ELF file of 32 bits or 64 (`wide`), in the byte order of the buffer, for writers that lay out such a file
 * themselves.
 */
#ifndef CAIRN_WRITERS_ELF_FILE_ELF_FILE_H
#define CAIRN_WRITERS_ELF_FILE_ELF_FILE_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum { ELF_FILE_HEADER = 64, ELF_FILE_SYMBOL = 24 }; /* bytes of the header and of a symbol; wide */

struct elf_file_symbol {
	uint32_t name; /* where it begins in the texts */
	uint16_t section;
	uint8_t info; /* its binding, and its type in the lower half */
	uint64_t va, size;
};

/* The header of a shared object, which its program headers follow, and without a table of sections. */
void elf_file_header(struct byte_buffer *out, bool wide, uint16_t machine, uint64_t entry,
                     uint32_t segments);

/* A program header, whose physical address is the virtual one. */
void elf_file_segment(struct byte_buffer *out, bool wide, const struct elf_segment *s);

/* A section header; the name begins at `name` in the section of names. */
void elf_file_section(struct byte_buffer *out, bool wide, uint32_t name,
                      const struct elf_section *s);

void elf_file_symbol(struct byte_buffer *out, bool wide, const struct elf_file_symbol *symbol);

/* Returns how large the note of a build ID is. */
size_t elf_file_note_size(struct cairn_bytes build_id);

void elf_file_note(struct byte_buffer *out, struct cairn_bytes build_id);

/* Puts into the header where the table of sections is, and that the last of its `count` has the names. */
void elf_file_place_sections(struct byte_buffer *out, bool wide, uint64_t at, uint32_t count);

#endif
