/* SPDX-License-Identifier: MIT */
/* Writes the header of a DWARF 5 line table. */
#include "line_header.h"

enum {
	CONTENT_PATH = 1,
	CONTENT_DIRECTORY = 2,
	FORM_UDATA = 0x0f,
	FORM_LINE_STRP = 0x1f,
};

bool elf_writer_local_file(struct elf_writer *w, struct elf_writer_local_files *locals,
                           uint32_t path, uint32_t *local)
{
	if (w->file[path].local == 0) {
		if (!ARRAY_APPEND(locals->file, locals->count, locals->room, path))
			return false;
		w->file[path].local = (uint32_t)locals->count;
	}
	*local = w->file[path].local - 1;
	return true;
}

static uint32_t directory_of(const struct elf_writer *w, uint32_t path)
{
	return w->file[path].directory ? w->file[path].directory : w->here;
}

/*
 * Write the directories. Directory 0 is the directory of the first file. The marks of paths hold
 * directory indices plus 1.
 */
static void write_directories(struct elf_writer *w, const struct elf_writer_local_files *locals)
{
	struct interner_entry *entry = w->paths.entry;
	uint32_t count = 0;

	for (size_t i = 0; i < locals->count; i++) {
		uint32_t directory = directory_of(w, locals->file[i]);
		if (entry[directory].mark == 0)
			entry[directory].mark = ++count;
	}
	byte_buffer_u8(&w->lines, 1);
	byte_buffer_uleb(&w->lines, CONTENT_PATH);
	byte_buffer_uleb(&w->lines, FORM_LINE_STRP);
	byte_buffer_uleb(&w->lines, count);
	for (size_t i = 0, next = 1; i < locals->count; i++) {
		uint32_t directory = directory_of(w, locals->file[i]);
		if (entry[directory].mark != next)
			continue;
		byte_buffer_number(&w->lines, entry[directory].offset, 4);
		next++;
	}
}

static void write_files(struct elf_writer *w, const struct elf_writer_local_files *locals)
{
	struct interner_entry *entry = w->paths.entry;

	byte_buffer_u8(&w->lines, 2);
	byte_buffer_uleb(&w->lines, CONTENT_PATH);
	byte_buffer_uleb(&w->lines, FORM_LINE_STRP);
	byte_buffer_uleb(&w->lines, CONTENT_DIRECTORY);
	byte_buffer_uleb(&w->lines, FORM_UDATA);
	byte_buffer_uleb(&w->lines, locals->count);
	for (size_t i = 0; i < locals->count; i++) {
		const struct elf_writer_file *file = &w->file[locals->file[i]];
		byte_buffer_number(&w->lines, entry[file->path].offset + file->name, 4);
		byte_buffer_uleb(&w->lines, entry[directory_of(w, file->path)].mark - 1);
	}
	for (size_t i = 0; i < locals->count; i++)
		entry[directory_of(w, locals->file[i])].mark = 0;
}

size_t elf_writer_line_header(struct elf_writer *w, const struct elf_writer_local_files *locals)
{
	static const uint8_t operands[ELF_WRITER_OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0,
		                                                      0, 0, 1, 0, 0, 1 };
	struct byte_buffer *b = &w->lines;
	size_t at = b->size;

	byte_buffer_number(b, 0, 4);
	byte_buffer_number(b, 5, 2);
	byte_buffer_u8(b, (uint8_t)w->word);
	byte_buffer_u8(b, 0);
	size_t header = b->size;
	byte_buffer_number(b, 0, 4);
	byte_buffer_u8(b, 1); /* minimum_instruction_length */
	byte_buffer_u8(b, 1); /* maximum_operations_per_instruction */
	byte_buffer_u8(b, 1); /* default_is_stmt */
	byte_buffer_u8(b, (uint8_t)ELF_WRITER_LINE_BASE);
	byte_buffer_u8(b, ELF_WRITER_LINE_RANGE);
	byte_buffer_u8(b, ELF_WRITER_OPCODE_BASE);
	byte_buffer_bytes(b, operands, sizeof(operands));
	write_directories(w, locals);
	write_files(w, locals);
	byte_buffer_overwrite(b, header, b->size - header - 4, 4);
	return at;
}
