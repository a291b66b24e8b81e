/* SPDX-License-Identifier: MIT */
/* Writes parts of an ELF file. */
#include "elf_file.h"

enum { ELF_FILE_HEADER_NARROW = 52 };
enum { NOTE_HEAD = 12, NOTE_BUILD_ID = 3 };

static const char note_owner[4] = "GNU";

static void put_class_word(struct byte_buffer *out, bool wide, uint64_t value)
{
	byte_buffer_number(out, value, wide ? 8 : 4);
}

static unsigned header_size(bool wide)
{
	return wide ? ELF_FILE_HEADER : ELF_FILE_HEADER_NARROW;
}

void elf_file_header(struct byte_buffer *out, bool wide, uint16_t machine, uint64_t entry,
                     uint32_t segments)
{
	const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', wide ? 2 : 1, out->big ? 2 : 1, 1 };

	byte_buffer_bytes(out, ident, sizeof(ident));
	byte_buffer_number(out, ELF_TYPE_DYN, 2);
	byte_buffer_number(out, machine, 2);
	byte_buffer_number(out, 1, 4);
	put_class_word(out, wide, entry);
	put_class_word(out, wide, segments > 0 ? header_size(wide) : 0);
	put_class_word(out, wide, 0); /* e_shoff, see elf_file_place_sections() */
	byte_buffer_number(out, 0, 4);
	byte_buffer_number(out, header_size(wide), 2);
	byte_buffer_number(out, wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW, 2);
	byte_buffer_number(out, segments, 2);
	byte_buffer_number(out, wide ? ELF_SECTION_WIDE : ELF_SECTION_NARROW, 2);
	byte_buffer_number(out, 0, 4); /* e_shnum and e_shstrndx */
}

void elf_file_segment(struct byte_buffer *out, bool wide, const struct elf_segment *s)
{
	byte_buffer_number(out, s->type, 4);
	if (wide)
		byte_buffer_number(out, s->flags, 4);
	put_class_word(out, wide, s->offset);
	put_class_word(out, wide, s->va);
	put_class_word(out, wide, s->va);
	put_class_word(out, wide, s->file_size);
	put_class_word(out, wide, s->memory_size);
	if (!wide)
		byte_buffer_number(out, s->flags, 4);
	put_class_word(out, wide, s->align);
}

void elf_file_section(struct byte_buffer *out, bool wide, uint32_t name,
                      const struct elf_section *s)
{
	byte_buffer_number(out, name, 4);
	byte_buffer_number(out, s->type, 4);
	put_class_word(out, wide, s->flags);
	put_class_word(out, wide, s->va);
	put_class_word(out, wide, s->offset);
	put_class_word(out, wide, s->size);
	byte_buffer_number(out, s->link, 4);
	byte_buffer_number(out, s->info, 4);
	put_class_word(out, wide, s->alignment);
	put_class_word(out, wide, s->entry_size);
}

void elf_file_symbol(struct byte_buffer *out, bool wide, const struct elf_file_symbol *symbol)
{
	byte_buffer_number(out, symbol->name, 4);
	if (!wide) {
		put_class_word(out, wide, symbol->va);
		put_class_word(out, wide, symbol->size);
	}
	byte_buffer_u8(out, symbol->info);
	byte_buffer_u8(out, 0);
	byte_buffer_number(out, symbol->section, 2);
	if (wide) {
		put_class_word(out, wide, symbol->va);
		put_class_word(out, wide, symbol->size);
	}
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

void elf_file_place_sections(struct byte_buffer *out, bool wide, uint64_t at, uint32_t count)
{
	byte_buffer_overwrite(out, wide ? 40 : 32, at, wide ? 8 : 4);
	byte_buffer_overwrite(out, header_size(wide) - 4, count, 2);
	byte_buffer_overwrite(out, header_size(wide) - 2, count - 1, 2);
}
