/* SPDX-License-Identifier: MIT */
/* Entries of the tables of a 64-bit ELF file, for writers that lay out such a file themselves. */
#ifndef CAIRN_WRITERS_ELF_FILE_ELF_FILE_H
#define CAIRN_WRITERS_ELF_FILE_ELF_FILE_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

enum { ELF_FILE_HEADER = 64 }; /* bytes of the header */

/* A program header, whose physical address is the virtual one. */
void elf_file_segment(struct byte_buffer *out, const struct elf_segment *s);

/* A section header; the name begins at `name` in the section of names. */
void elf_file_section(struct byte_buffer *out, uint32_t name, const struct elf_section *s);

/* Puts into the header where the table of sections is, and that the last of its `count` has the names. */
void elf_file_place_sections(struct byte_buffer *out, uint64_t at, uint32_t count);

#endif
