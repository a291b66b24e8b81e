/* SPDX-License-Identifier: MIT */
/*
 * Writes the ELF file around a table:
 *
 *	file     = header segment* note? padding .sframe names padding section*
 *	segment  = PT_LOAD like the program's, but without contents; PT_NOTE; PT_GNU_SFRAME
 *	section  = null, .note.gnu.build-id?, .sframe, .shstrtab
 */
#include "side_file.h"

#include "base/error.h"
#include "writers/elf_file/elf_file.h"

#include <stdlib.h>
#include <string.h>

enum {
	ALIGNMENT = 8,
	HEADER = ELF_FILE_HEADER,
	FLAGS_AT = 48, /* offsets in the ELF header */
	SEGMENTS_COUNT_AT = 56,
	SECTIONS_AT = 40,
	SEGMENT_OFFSET = 8,
	SEGMENT_SIZE = 32,
	SEGMENTS_MAX = UINT16_MAX - 2,
};

/* Names of the sections, and the offset of each name. */
static const char names[] = "\0.note.gnu.build-id\0.sframe\0.shstrtab";
enum { NAME_NOTE = 1, NAME_SFRAME = 20, NAME_NAMES = 28 };

uint64_t side_file_address(const struct elf *elf)
{
	uint64_t end = 0;
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.va + s.memory_size > end)
			end = s.va + s.memory_size;
	return (end + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

static size_t note_size(const struct elf *elf)
{
	const struct cairn_bytes id = elf_build_id(elf);

	return id.size ? elf_file_note_size(id) : 0;
}

static uint32_t count_loads(const struct elf *elf)
{
	struct elf_segment s;
	uint32_t count = 0;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		count += s.type == ELF_PT_LOAD;
	return count;
}

static size_t count_segments(const struct elf *elf)
{
	return count_loads(elf) + (note_size(elf) ? 1u : 0u) + 1;
}

/* Write the program's header, with other locations of the header tables. */
static void put_header(const struct elf *elf, struct byte_buffer *out)
{
	byte_buffer_bytes(out, elf->bytes.data, HEADER);
	if (out->failed)
		return;
	byte_buffer_overwrite(out, 32, HEADER, 8);
	byte_buffer_overwrite(out, SECTIONS_AT, 0, 8);
	byte_buffer_overwrite(out, 52, HEADER, 2);
	byte_buffer_overwrite(out, 54, ELF_SEGMENT_WIDE, 2);
	byte_buffer_overwrite(out, SEGMENTS_COUNT_AT, count_segments(elf), 2);
	byte_buffer_overwrite(out, 58, ELF_SECTION_WIDE, 2);
}

static void put_loads(const struct elf *elf, struct byte_buffer *out)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD)
			elf_file_segment(out, true,
			                 &(struct elf_segment){ .type = s.type,
			                                        .flags = s.flags,
			                                        .va = s.va,
			                                        .memory_size = s.memory_size,
			                                        .align = s.align });
}

static size_t note_at(const struct elf *elf)
{
	return HEADER + count_segments(elf) * ELF_SEGMENT_WIDE;
}

/* Write everything before the section. Its size is filled in later. */
static void begin_side_file(const struct elf *elf, struct byte_buffer *out)
{
	const size_t note = note_size(elf);

	put_header(elf, out);
	put_loads(elf, out);
	if (note)
		elf_file_segment(out, true,
		                 &(struct elf_segment){ .type = ELF_PT_NOTE,
		                                        .flags = ELF_PF_READ,
		                                        .offset = note_at(elf),
		                                        .file_size = note,
		                                        .align = 4 });
	elf_file_segment(out, true,
	                 &(struct elf_segment){ .type = ELF_PT_GNU_SFRAME,
	                                        .flags = ELF_PF_READ,
	                                        .va = side_file_address(elf),
	                                        .align = ALIGNMENT });
	if (note)
		elf_file_note(out, elf_build_id(elf));
	byte_buffer_align(out, ALIGNMENT);
}

static void put_sections(const struct elf *elf, struct byte_buffer *out, size_t section_at,
                         size_t section, size_t names_at)
{
	const struct elf_section none = { .type = 0 };

	elf_file_section(out, true, 0, &none);
	if (note_size(elf))
		elf_file_section(out, true, NAME_NOTE,
		                 &(struct elf_section){ .type = ELF_SHT_NOTE,
		                                        .offset = note_at(elf),
		                                        .size = note_size(elf),
		                                        .alignment = 4 });
	elf_file_section(out, true, NAME_SFRAME,
	                 &(struct elf_section){ .type = ELF_SHT_GNU_SFRAME,
	                                        .flags = ELF_SHF_ALLOC,
	                                        .va = side_file_address(elf),
	                                        .offset = section_at,
	                                        .size = section,
	                                        .alignment = ALIGNMENT });
	elf_file_section(out, true, NAME_NAMES,
	                 &(struct elf_section){ .type = ELF_SHT_STRTAB,
	                                        .offset = names_at,
	                                        .size = sizeof(names),
	                                        .alignment = 1 });
}

static void end_side_file(const struct elf *elf, struct byte_buffer *out, size_t section_at)
{
	const size_t section = out->size - section_at, segment = note_at(elf) - ELF_SEGMENT_WIDE,
		     names_at = out->size;
	const unsigned sections = note_size(elf) ? 4 : 3;

	byte_buffer_bytes(out, names, sizeof(names));
	byte_buffer_align(out, ALIGNMENT);
	const size_t table = out->size;
	put_sections(elf, out, section_at, section, names_at);
	if (out->failed)
		return;
	byte_buffer_overwrite(out, segment + SEGMENT_OFFSET, section_at, 8);
	byte_buffer_overwrite(out, segment + SEGMENT_SIZE, section, 8);
	byte_buffer_overwrite(out, segment + SEGMENT_SIZE + 8, section, 8);
	elf_file_place_sections(out, true, table, sections);
}

enum cairn_status side_file_check(const struct elf *elf, const struct sframe_format *format,
                                  struct cairn_fault *fault)
{
	if (!elf->wide || !sframe_format_is_writable(format))
		return fault_set(fault, CAIRN_UNSUPPORTED, "SFrame does not know the machine");
	if (elf->type != ELF_TYPE_EXEC && elf->type != ELF_TYPE_DYN)
		return fault_set(fault, CAIRN_UNSUPPORTED,
		                 "not a program, a library or a debug file of one");
	if (elf->segments > SEGMENTS_MAX)
		return fault_set(fault, CAIRN_UNSUPPORTED, "too many segments");
	return CAIRN_OK;
}

enum cairn_status side_file_write(struct sframe_work *work, struct cairn_fault *fault)
{
	struct byte_buffer *out = &work->out;

	begin_side_file(&work->elf, out);
	const size_t at = out->size;
	sframe_draft_write(&work->draft, out);
	const size_t table = out->size - at;
	end_side_file(&work->elf, out, at);
	if (work->draft.failed || out->failed)
		return fault_set(fault, CAIRN_NO_MEMORY,
		                 "out of memory, or the table is too large for the file");
	sframe_work_end(work, table);
	return CAIRN_OK;
}

uint64_t side_file_code(const struct elf *elf)
{
	struct elf_segment s;
	uint64_t size = 0;

	for (uint32_t i = 0; elf_segment(elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && s.flags & ELF_PF_EXECUTE)
			size += s.memory_size;
	return size;
}

void cairn_sframe_file_free(struct cairn_sframe_file *made)
{
	static const uint8_t nothing[1];

	if (made->bytes.data != nothing)
		free((void *)(uintptr_t)made->bytes.data);
	made->bytes = (struct cairn_bytes){ nothing, 0 };
}
