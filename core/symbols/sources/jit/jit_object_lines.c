/* SPDX-License-Identifier: MIT */
/* Reads the line programs of an object, all of its section .debug_line, without the units that name them. */
#include "jit_object.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "base/order.h"
#include "formats/dwarf/line.h"

#include <stdlib.h>
#include <string.h>

enum {
	RECORD_LINES = 2,
	ADDRESS = 8,
	FILES_MAX = 1 << 16, /* of all line programs of an object */
};

static struct cairn_bytes find_bytes(const struct elf *elf, const char *name)
{
	struct elf_section section;

	return elf_find_section(elf, name, &section) ? elf_section_bytes(elf, &section)
	                                             : (struct cairn_bytes){ elf->bytes.data, 0 };
}

/* The tables of one line program: texts of its directories, and which texts its files are. */
struct tables {
	struct cairn_bytes *directory;
	size_t directories, directory_room;
	uint32_t first_file; /* among the texts of the object */
	uint64_t files;
	unsigned base; /* the number of the first one */
};

static bool read_line_text(const struct dwarf_sections *sections, const struct dwarf_line *line,
                           const struct dwarf_line_entry *entry, struct cairn_bytes *text)
{
	const struct dwarf_bases none = { 0 };

	return dwarf_text(sections, &line->unit, &none, &entry->path, text) &&
	       text->size <= JIT_OBJECT_FILE;
}

static void read_directories(struct dwarf_line *line, const struct dwarf_sections *sections,
                             struct tables *tables)
{
	struct dwarf_line_entry entry;

	while (dwarf_next_directory(line, &entry)) {
		struct cairn_bytes text;

		if (!read_line_text(sections, line, &entry, &text))
			text = (struct cairn_bytes){ sections->line.data, 0 };
		if (tables->directories < FILES_MAX &&
		    array_grow(&tables->directory, &tables->directory_room, tables->directories + 1,
		               sizeof(text)))
			tables->directory[tables->directories++] = text;
	}
}

/* The path of a file: after that of its directory, if it is relative. */
static struct cairn_bytes join_file_path(const struct tables *tables, uint64_t directory,
                                         struct cairn_bytes file)
{
	const uint64_t number = directory - tables->base;
	const struct cairn_bytes none = { file.data, 0 };
	const struct cairn_bytes folder =
		number < tables->directories && (file.size == 0 || file.data[0] != '/')
			? tables->directory[number]
			: none;
	uint8_t *path = folder.size + file.size > 0 ? malloc(folder.size + file.size + 2) : NULL;

	if (!path)
		return none;
	memcpy(path, folder.data, folder.size);
	if (folder.size)
		path[folder.size] = '/';
	const size_t begin = folder.size + (folder.size > 0);
	memcpy(path + begin, file.data, file.size);
	path[begin + file.size] = '\0';
	return (struct cairn_bytes){ path, begin + file.size };
}

static void add_file(struct jit_object_lines *lines, const struct dwarf_sections *sections,
                     const struct dwarf_line *line, const struct tables *tables,
                     const struct dwarf_line_entry *entry)
{
	struct cairn_bytes text;

	if (!read_line_text(sections, line, entry, &text))
		text = (struct cairn_bytes){ sections->line.data, 0 };
	if (lines->files < FILES_MAX &&
	    array_grow(&lines->file, &lines->file_room, lines->files + 1, sizeof(text)))
		lines->file[lines->files++] = join_file_path(tables, entry->directory, text);
}

static void add_row(struct jit_object_lines *lines, const struct tables *tables,
                    const struct dwarf_row *row)
{
	const uint64_t file = row->file - tables->base;

	if (lines->count >= JIT_OBJECT_ROWS ||
	    !array_grow(&lines->row, &lines->room, lines->count + 1, sizeof(*lines->row)))
		return;
	lines->row[lines->count] = (struct jit_object_row){
		.va = row->va,
		.line = row->line,
		.file = file < lines->files - tables->first_file
		                ? tables->first_file + (uint32_t)file
		                : UINT32_MAX,
		.number = (uint32_t)lines->count,
		.end = row->kind == DWARF_ROW_END,
	};
	lines->count++;
}

static void read_program(struct jit_object_lines *lines, const struct dwarf_sections *sections,
                         struct dwarf_line *line)
{
	struct tables tables = { .first_file = (uint32_t)lines->files,
		                 .base = line->unit.version < 5 };
	struct dwarf_line_entry entry;
	struct dwarf_row row;

	read_directories(line, sections, &tables);
	while (dwarf_next_file(line, &entry))
		add_file(lines, sections, line, &tables, &entry);
	while (lines->count < JIT_OBJECT_ROWS && dwarf_next_row(line, &row))
		if (row.kind == DWARF_ROW_FILE)
			add_file(lines, sections, line, &tables, &row.added);
		else
			add_row(lines, &tables, &row);
	free(tables.directory);
}

/* Sorts by address.  At one address an end comes first, because it belongs to the rows before it. */
static int compare_rows(const void *left, const void *right)
{
	const struct jit_object_row *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(b->end, a->end, ORDER_BY(a->number, b->number, 0)));
}

void jit_object_lines_read(struct jit_object_lines *lines, const struct elf *elf)
{
	const struct dwarf_sections sections = { .line = find_bytes(elf, ".debug_line"),
		                                 .str = find_bytes(elf, ".debug_str"),
		                                 .line_str = find_bytes(elf, ".debug_line_str"),
		                                 .big = elf->big };
	struct cairn_fault fault;
	struct dwarf_line line;

	*lines = (struct jit_object_lines){ .count = 0 };
	for (uint64_t at = 0; at < sections.line.size && lines->count < JIT_OBJECT_ROWS;
	     at = line.next) {
		if (dwarf_open_line(&sections, at, ADDRESS, &line, &fault) != CAIRN_OK ||
		    line.next <= at)
			break;
		read_program(lines, &sections, &line);
	}
	if (lines->count > 0)
		qsort(lines->row, lines->count, sizeof(*lines->row), compare_rows);
}

void jit_object_lines_finish(struct jit_object_lines *lines)
{
	for (size_t i = 0; i < lines->files; i++)
		if (lines->file[i].size > 0)
			free((void *)(uintptr_t)lines->file[i].data);
	free(lines->file);
	free(lines->row);
}

/* The same file as before is told so. */
static void append_row(const struct jit_object_lines *lines, const struct jit_object_row *row,
                       uint32_t before, struct byte_buffer *dump)
{
	byte_buffer_number(dump, row->va, 8);
	byte_buffer_number(dump, row->line, 4);
	byte_buffer_number(dump, 0, 4);
	if (row->file == before)
		byte_buffer_u8(dump, 0xff);
	else if (row->file != UINT32_MAX)
		byte_buffer_bytes(dump, lines->file[row->file].data, lines->file[row->file].size);
	byte_buffer_u8(dump, 0);
}

void jit_object_lines_append(const struct jit_object_lines *lines, uint64_t start, uint64_t size,
                             struct byte_buffer *dump)
{
	const size_t first = SORTED_BELOW(lines->row, lines->count, va, start);

	if (first == lines->count || lines->row[first].va - start >= size)
		return;
	const size_t begin = jit_record_begin(dump, RECORD_LINES);
	byte_buffer_number(dump, start, 8);
	byte_buffer_number(dump, 0, 8); /* how many there are does not count */
	uint32_t file = UINT32_MAX - 1; /* none yet */
	for (size_t i = first; i < lines->count && lines->row[i].va - start < size && !dump->failed;
	     i++)
		if (!lines->row[i].end) {
			append_row(lines, &lines->row[i], file, dump);
			file = lines->row[i].file;
		}
	jit_record_end(dump, begin);
}
