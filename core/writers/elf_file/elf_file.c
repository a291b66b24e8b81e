/* SPDX-License-Identifier: MIT */
/* Writes entries of the tables of an ELF file. */
#include "elf_file.h"

enum { SECTIONS_AT = 40, COUNT_AT = 60, NAMES_AT = 62 }; /* fields of the header */

void elf_file_segment(struct byte_buffer *out, const struct elf_segment *s)
{
	byte_buffer_number(out, s->type, 4);
	byte_buffer_number(out, s->flags, 4);
	byte_buffer_number(out, s->offset, 8);
	byte_buffer_number(out, s->va, 8);
	byte_buffer_number(out, s->va, 8);
	byte_buffer_number(out, s->file_size, 8);
	byte_buffer_number(out, s->memory_size, 8);
	byte_buffer_number(out, s->align, 8);
}

void elf_file_section(struct byte_buffer *out, uint32_t name, const struct elf_section *s)
{
	byte_buffer_number(out, name, 4);
	byte_buffer_number(out, s->type, 4);
	byte_buffer_number(out, s->flags, 8);
	byte_buffer_number(out, s->va, 8);
	byte_buffer_number(out, s->offset, 8);
	byte_buffer_number(out, s->size, 8);
	byte_buffer_number(out, s->link, 4);
	byte_buffer_number(out, s->info, 4);
	byte_buffer_number(out, s->alignment, 8);
	byte_buffer_number(out, s->entry_size, 8);
}

void elf_file_place_sections(struct byte_buffer *out, uint64_t at, uint32_t count)
{
	byte_buffer_overwrite(out, SECTIONS_AT, at, 8);
	byte_buffer_overwrite(out, COUNT_AT, count, 2);
	byte_buffer_overwrite(out, NAMES_AT, count - 1, 2);
}
