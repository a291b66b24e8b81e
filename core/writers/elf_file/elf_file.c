/* SPDX-License-Identifier: MIT */
/* Writes parts of an ELF file. */
#include "elf_file.h"

enum { SECTIONS_AT = 40, COUNT_AT = 60, NAMES_AT = 62 }; /* fields of the header */
enum { NOTE_HEAD = 12, NOTE_BUILD_ID = 3 };

static const char note_owner[4] = "GNU";

void elf_file_header(struct byte_buffer *out, uint16_t machine, uint64_t entry, uint32_t segments)
{
	static const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	byte_buffer_bytes(out, ident, sizeof(ident));
	byte_buffer_number(out, ELF_TYPE_DYN, 2);
	byte_buffer_number(out, machine, 2);
	byte_buffer_number(out, 1, 4);
	byte_buffer_number(out, entry, 8);
	byte_buffer_number(out, ELF_FILE_HEADER, 8);
	byte_buffer_number(out, 0, 8); /* where the sections are */
	byte_buffer_number(out, 0, 4);
	byte_buffer_number(out, ELF_FILE_HEADER, 2);
	byte_buffer_number(out, ELF_SEGMENT_WIDE, 2);
	byte_buffer_number(out, segments, 2);
	byte_buffer_number(out, ELF_SECTION_WIDE, 2);
	byte_buffer_number(out, 0, 4); /* how many they are, and which has their names */
}

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

size_t elf_file_note_size(struct cairn_bytes build_id)
{
	return NOTE_HEAD + sizeof(note_owner) + ((build_id.size + 3) & ~(size_t)3);
}

void elf_file_note(struct byte_buffer *out, struct cairn_bytes build_id)
{
	byte_buffer_number(out, sizeof(note_owner), 4);
	byte_buffer_number(out, build_id.size, 4);
	byte_buffer_number(out, NOTE_BUILD_ID, 4);
	byte_buffer_bytes(out, note_owner, sizeof(note_owner));
	byte_buffer_bytes(out, build_id.data, build_id.size);
	byte_buffer_align(out, 4);
}

void elf_file_place_sections(struct byte_buffer *out, uint64_t at, uint32_t count)
{
	byte_buffer_overwrite(out, SECTIONS_AT, at, 8);
	byte_buffer_overwrite(out, COUNT_AT, count, 2);
	byte_buffer_overwrite(out, NAMES_AT, count - 1, 2);
}
