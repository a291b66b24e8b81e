/* SPDX-License-Identifier: MIT */
/* Writes the headers, tables, notes and sections of an ELF file. */
#include "elf_builder.h"

#include <stdio.h>
#include <string.h>

enum {
	HEADER_NARROW = 52,
	SYMBOL_NARROW = 16,
	NOTE_HEAD = 12,
	NOTE_BUILD_ID = 3,
	MERGE_STRINGS = 0x30, /* SHF_MERGE and SHF_STRINGS */
};

static const char note_owner[4] = "GNU";

static void put_class_word(struct byte_buffer *out, bool wide, uint64_t value)
{
	byte_buffer_number(out, value, wide ? 8 : 4);
}

static unsigned header_size(bool wide)
{
	return wide ? ELF_FILE_HEADER : HEADER_NARROW;
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
	put_class_word(out, wide, 0); /* e_shoff, set by elf_builder_finish() */
	byte_buffer_number(out, 0, 4);
	byte_buffer_number(out, header_size(wide), 2);
	byte_buffer_number(out, wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW, 2);
	byte_buffer_number(out, segments, 2);
	byte_buffer_number(out, wide ? ELF_SECTION_WIDE : ELF_SECTION_NARROW, 2);
	byte_buffer_number(out, 0, 4); /* e_shnum and e_shstrndx, set by elf_builder_finish() */
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

struct elf_section *elf_builder_section(struct elf_builder *b, const char *name, uint32_t type)
{
	struct elf_section *s = &b->section[b->count].header;

	snprintf(b->section[b->count].name, sizeof(b->section[b->count].name), "%s", name);
	b->count++;
	*s = (struct elf_section){ .type = type, .offset = b->out->size, .alignment = type != 0 };
	return s;
}

struct elf_section *elf_builder_contents(struct elf_builder *b, const char *name, uint32_t type,
                                         struct cairn_bytes contents)
{
	struct elf_section *s = elf_builder_section(b, name, type);

	s->size = contents.size;
	byte_buffer_bytes(b->out, contents.data, contents.size);
	return s;
}

void elf_builder_are_strings(struct elf_section *s)
{
	s->flags = MERGE_STRINGS;
	s->entry_size = 1;
}

void elf_builder_build_id(struct elf_builder *b, struct cairn_bytes build_id)
{
	if (build_id.size == 0)
		return;
	byte_buffer_align(b->out, 4);
	struct elf_section *s = elf_builder_section(b, ".note.gnu.build-id", ELF_SHT_NOTE);
	s->alignment = 4;
	s->size = elf_file_note_size(build_id);
	elf_file_note(b->out, build_id);
}

struct elf_section *elf_builder_begin_symbols(struct elf_builder *b)
{
	byte_buffer_align(b->out, b->wide ? 8 : 4);
	struct elf_section *s = elf_builder_section(b, ".symtab", ELF_SHT_SYMTAB);
	s->alignment = b->wide ? 8 : 4;
	s->entry_size = b->wide ? ELF_FILE_SYMBOL : SYMBOL_NARROW;
	s->info = 1;
	elf_file_symbol(b->out, b->wide, &(struct elf_file_symbol){ .name = 0 });
	return s;
}

void elf_builder_end_symbols(struct elf_builder *b)
{
	struct elf_section *s = &b->section[b->count - 1].header;

	s->size = b->out->size - s->offset;
	s->link = b->count;
}

/* Return the offset of a name in the prepared name table, which must contain it. */
static size_t find_name(const struct elf_builder *b, const char *name)
{
	const char *at = b->names.data;

	while (strcmp(at, name) != 0)
		at += strlen(at) + 1;
	return (size_t)(at - b->names.data);
}

void elf_builder_finish(struct elf_builder *b)
{
	struct byte_buffer *out = b->out;
	struct elf_section *names = elf_builder_section(b, ".shstrtab", ELF_SHT_STRTAB);
	uint32_t name_at[ELF_BUILDER_SECTIONS];

	byte_buffer_bytes(out, b->names.data, b->names.size);
	for (unsigned i = 0; i < b->count; i++) {
		const char *name = b->section[i].name;
		name_at[i] =
			(uint32_t)(b->names.size ? find_name(b, name) : out->size - names->offset);
		if (b->names.size == 0)
			byte_buffer_bytes(out, name, strlen(name) + 1);
	}
	names->size = out->size - names->offset;
	byte_buffer_align(out, b->wide ? 8 : 4);
	const uint64_t at = out->size;
	for (unsigned i = 0; i < b->count; i++)
		elf_file_section(out, b->wide, name_at[i], &b->section[i].header);
	byte_buffer_overwrite(out, b->wide ? 40 : 32, at, b->wide ? 8 : 4);
	byte_buffer_overwrite(out, header_size(b->wide) - 4, b->count, 2);
	byte_buffer_overwrite(out, header_size(b->wide) - 2, b->count - 1, 2);
}
