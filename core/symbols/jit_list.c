/* SPDX-License-Identifier: MIT */
/*
 * Reads the list of objects that a program registers through GDB's JIT interface, and converts each
 * ELF object in the list to jitdump records: functions with their lines and unwind tables.
 */
#include "jit_list.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dwarf/line.h"
#include "formats/ehframe/ehframe.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

struct jit_object_row {
	uint64_t va;
	uint32_t line, file; /* `file` is an index in the list of paths */
	uint32_t number;     /* position in the line programs, which orders rows at one address */
	bool end;
};

struct jit_object_lines {
	struct jit_object_row *row;
	size_t count, capacity;
	struct cairn_bytes *file; /* paths, each allocated separately */
	size_t files, file_capacity;
};

/* FDEs in .debug_frame or .eh_frame, sorted by address. */
struct jit_object_frames {
	struct cairn_bytes section;
	uint64_t address;
	bool debug, big;
	struct jit_object_fde {
		uint64_t start, size;
		size_t at;
		size_t cie;
	} * fde;
	size_t count, capacity;
};

static inline size_t jit_record_begin(struct byte_buffer *dump, uint32_t id)
{
	const size_t begin = dump->size;

	byte_buffer_number(dump, id, 4);
	byte_buffer_number(dump, 0, 4);
	byte_buffer_number(dump, 0, 8); /* timestamp; 0 because it is unknown */
	return begin;
}

static inline void jit_record_end(struct byte_buffer *dump, size_t begin)
{
	byte_buffer_overwrite(dump, begin + 4, dump->size - begin, 4);
}

/*
 * Relocates lines and unwind tables. LLVM registers objects as its code generator writes them:
 * section headers contain the load addresses, but relocating debug sections is left to the
 * debugger.
 */

/* Relocation types for plain numbers. Other types occur only in code. */
static const struct number_relocation {
	uint16_t machine, type;
	uint8_t width;
	bool is_relative; /* the relocated number is relative to its own address */
} number_relocations[] = {
	{ ELF_EM_X86_64, 1, 8, false },    { ELF_EM_X86_64, 10, 4, false },
	{ ELF_EM_X86_64, 11, 4, false },   { ELF_EM_X86_64, 2, 4, true },
	{ ELF_EM_X86_64, 24, 8, true },    { ELF_EM_AARCH64, 257, 8, false },
	{ ELF_EM_AARCH64, 258, 4, false }, { ELF_EM_AARCH64, 260, 8, true },
	{ ELF_EM_AARCH64, 261, 4, true },
};

static const struct number_relocation *find_kind(const struct elf *elf, uint32_t type)
{
	for (size_t i = 0; i < sizeof(number_relocations) / sizeof(number_relocations[0]); i++)
		if (number_relocations[i].machine == elf->machine &&
		    number_relocations[i].type == type)
			return &number_relocations[i];
	return NULL;
}

/*
 * Return a section's address, or 0 if the section is not loaded. References to such a section are
 * offsets from its start, so ignore sh_addr.
 */
static uint64_t find_base(const struct elf_section *section)
{
	return section->flags & ELF_SHF_ALLOC ? section->va : 0;
}

static void apply_relocation(const struct elf *elf, const struct elf_section *target,
                             const struct elf_relocation *relocation, struct cairn_bytes old,
                             uint8_t *bytes)
{
	const struct number_relocation *kind = find_kind(elf, relocation->type);
	struct elf_section section;

	if (!kind || relocation->in_place || relocation->section == 0 ||
	    !elf_section(elf, relocation->section, &section) || relocation->offset > old.size ||
	    kind->width > old.size - relocation->offset)
		return;
	uint64_t value = find_base(&section) + relocation->value;
	if (kind->is_relative)
		value -= find_base(target) + relocation->offset;
	for (unsigned i = 0; i < kind->width; i++)
		bytes[relocation->offset + (elf->big ? kind->width - 1u - i : i)] =
			(uint8_t)(value >> 8 * i);
}

void jit_object_relocate(uint8_t *image, size_t size)
{
	static const char *const names[] = { ".debug_line", ".debug_frame", ".eh_frame" };
	struct elf_relocation relocation;
	struct elf_section target;
	struct elf elf;

	if (!elf_opens((struct cairn_bytes){ image, size }, &elf) || elf.type != ELF_TYPE_REL)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!elf_find_section(&elf, names[i], &target))
			continue;
		const struct cairn_bytes bytes = elf_section_bytes(&elf, &target);
		uint32_t table = 0;
		uint64_t at = 0;
		for (uint32_t n = 0;
		     n < JIT_OBJECT_RELOCATIONS && bytes.size > 0 &&
		     elf_next_relocation(&elf, target.index, &table, &at, &relocation);
		     n++)
			apply_relocation(&elf, &target, &relocation, bytes,
			                 image + (bytes.data - image));
	}
}

enum {
	RECORD_LINES = 2,
	ADDRESS = 8,
	FILES_MAX = 1 << 16,
};

static struct cairn_bytes find_bytes(const struct elf *elf, const char *name)
{
	struct elf_section section;

	return elf_find_section(elf, name, &section) ? elf_section_bytes(elf, &section)
	                                             : (struct cairn_bytes){ elf->bytes.data, 0 };
}

struct tables {
	struct cairn_bytes *directory;
	size_t directories, directory_capacity;
	uint32_t first_file; /* index of this table's first file in the object's list of paths */
	uint64_t files;
	/* number of the first file and directory: 0 or 1, depending on the DWARF version */
	unsigned base;
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
		    array_grow(&tables->directory, &tables->directory_capacity,
		               tables->directories + 1, sizeof(text)))
			tables->directory[tables->directories++] = text;
	}
}

static struct cairn_bytes join_file_path(const struct tables *tables, uint64_t directory,
                                         struct cairn_bytes file)
{
	const uint64_t number = directory - tables->base;
	const struct cairn_bytes none = { file.data, 0 };
	const struct cairn_bytes parent =
		number < tables->directories && (file.size == 0 || file.data[0] != '/')
			? tables->directory[number]
			: none;
	uint8_t *path = parent.size + file.size > 0 ? malloc(parent.size + file.size + 2) : NULL;

	if (!path)
		return none;
	memcpy(path, parent.data, parent.size);
	if (parent.size)
		path[parent.size] = '/';
	const size_t begin = parent.size + (parent.size > 0);
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
	    array_grow(&lines->file, &lines->file_capacity, lines->files + 1, sizeof(text)))
		lines->file[lines->files++] = join_file_path(tables, entry->directory, text);
}

static void add_row(struct jit_object_lines *lines, const struct tables *tables,
                    const struct dwarf_row *row)
{
	const uint64_t file = row->file - tables->base;

	if (lines->count >= JIT_OBJECT_ROWS ||
	    !array_grow(&lines->row, &lines->capacity, lines->count + 1, sizeof(*lines->row)))
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

/*
 * Compare by address. At one address, the end of a sequence comes first, because it belongs to the
 * preceding rows.
 */
static int compare_rows(const void *left, const void *right)
{
	const struct jit_object_row *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(b->end, a->end, ORDER_BY(a->number, b->number, 0)));
}

static void jit_object_lines_read(struct jit_object_lines *lines, const struct elf *elf)
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

static void jit_object_lines_finish(struct jit_object_lines *lines)
{
	for (size_t i = 0; i < lines->files; i++)
		if (lines->file[i].size > 0)
			free((void *)(uintptr_t)lines->file[i].data);
	free(lines->file);
	free(lines->row);
}

/* Append a row. If it has the same file as the previous row, encode the file as 0xff. */
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

static void jit_object_lines_append(const struct jit_object_lines *lines, uint64_t start,
                                    uint64_t size, struct byte_buffer *dump)
{
	const size_t first = SORTED_BELOW(lines->row, lines->count, va, start);

	if (first == lines->count || lines->row[first].va - start >= size)
		return;
	const size_t begin = jit_record_begin(dump, RECORD_LINES);
	byte_buffer_number(dump, start, 8);
	byte_buffer_number(dump, 0, 8); /* number of lines; 0 because our reader ignores it */
	uint32_t file = UINT32_MAX - 1; /* initially different from any file number */
	for (size_t i = first; i < lines->count && lines->row[i].va - start < size && !dump->failed;
	     i++)
		if (!lines->row[i].end) {
			append_row(lines, &lines->row[i], file, dump);
			file = lines->row[i].file;
		}
	jit_record_end(dump, begin);
}

enum {
	RECORD_FRAMES = 4,
	WORD = 8,
};

static bool add_fde(struct jit_object_frames *frames, uint64_t start, uint64_t size, size_t at,
                    size_t cie)
{
	if (size == 0 || frames->count >= JIT_OBJECT_FRAMES)
		return false;
	return ARRAY_APPEND(frames->fde, frames->count, frames->capacity,
	                    (struct jit_object_fde){ start, size, at, cie });
}

static void read_debug_frame(struct jit_object_frames *frames)
{
	struct debug_frame all = debug_frame_open(frames->section, frames->big, WORD);
	struct cairn_fault fault;
	uint64_t start, size;

	while (debug_frame_next(&all, &start, &size, &fault) == CAIRN_OK)
		add_fde(frames, start, size, all.fde, 0);
}

static bool read_frame_part(const struct jit_object_frames *frames, uint64_t at,
                            struct ehframe_source *source, struct ehframe_entry *entry)
{
	if (at >= frames->section.size)
		return false;
	*source = (struct ehframe_source){ { frames->section.data + at,
		                             frames->section.size - (size_t)at },
		                           frames->address + at,
		                           frames->address,
		                           frames->big,
		                           WORD };
	if (ehframe_read_entry(source->bytes, source->address, frames->big, entry) != CAIRN_OK ||
	    entry->size == 0 || entry->size > source->bytes.size)
		return false;
	source->bytes.size = (size_t)entry->size;
	return true;
}

static bool read_pair(const struct jit_object_frames *frames, size_t at, size_t cie_at,
                      struct ehframe_cie *cie, struct ehframe_fde *fde)
{
	struct ehframe_source source;
	struct ehframe_entry entry;
	struct cairn_fault fault;

	if (frames->debug)
		return debug_frame_read(frames->section, frames->big, WORD, at, cie, fde, &fault) ==
		       CAIRN_OK;
	return read_frame_part(frames, cie_at, &source, &entry) && entry.is_cie &&
	       ehframe_read_cie(&source, cie, &fault) == CAIRN_OK &&
	       read_frame_part(frames, at, &source, &entry) && !entry.is_cie &&
	       ehframe_read_fde(&source, cie, fde, &fault) == CAIRN_OK;
}

static void read_eh_frame(struct jit_object_frames *frames)
{
	struct ehframe_source source;
	struct ehframe_entry entry;
	struct ehframe_cie cie;
	struct ehframe_fde fde;

	for (uint64_t at = 0; read_frame_part(frames, at, &source, &entry); at += entry.size)
		if (!entry.is_cie && entry.cie - frames->address < frames->section.size &&
		    read_pair(frames, (size_t)at, (size_t)(entry.cie - frames->address), &cie,
		              &fde))
			add_fde(frames, fde.start, fde.size, (size_t)at,
			        (size_t)(entry.cie - frames->address));
}

static int compare_fdes(const void *left, const void *right)
{
	const struct jit_object_fde *a = left, *b = right;

	return ORDER_BY(a->start, b->start, ORDER_BY(a->at, b->at, 0));
}

static void jit_object_frames_read(struct jit_object_frames *frames, const struct elf *elf)
{
	struct elf_section section;

	*frames = (struct jit_object_frames){ .big = elf->big, .debug = true };
	if (!elf_find_section(elf, ".debug_frame", &section)) {
		frames->debug = false;
		if (!elf_find_section(elf, ".eh_frame", &section))
			return;
	}
	frames->section = elf_section_bytes(elf, &section);
	frames->address = section.va;
	if (frames->debug)
		read_debug_frame(frames);
	else
		read_eh_frame(frames);
	if (frames->count > 0)
		qsort(frames->fde, frames->count, sizeof(*frames->fde), compare_fdes);
}

static void jit_object_frames_finish(struct jit_object_frames *frames)
{
	free(frames->fde);
}

static void end_entry(const struct ehframe_source *source, size_t program, size_t begin,
                      struct byte_buffer *dump)
{
	byte_buffer_bytes(dump, source->bytes.data + program, source->bytes.size - program);
	byte_buffer_align(dump, WORD);
	byte_buffer_overwrite(dump, begin, dump->size - begin - 4, 4);
}

static void append_cie(const struct ehframe_cie *cie, struct byte_buffer *dump)
{
	const size_t begin = dump->size;

	byte_buffer_number(dump, 0, 4);
	byte_buffer_number(dump, 0, 4);
	byte_buffer_u8(dump, 1);
	byte_buffer_bytes(dump, cie->signal ? "zRS" : "zR", cie->signal ? 4 : 3);
	byte_buffer_uleb(dump, cie->code_align);
	byte_buffer_sleb(dump, cie->data_align);
	byte_buffer_u8(dump, (uint8_t)cie->ra);
	byte_buffer_uleb(dump, 1);
	byte_buffer_u8(dump, 0);
	end_entry(&cie->source, cie->program, begin, dump);
}

static void append_fde(const struct ehframe_fde *fde, size_t cie, struct byte_buffer *dump)
{
	const size_t begin = dump->size;

	byte_buffer_number(dump, 0, 4);
	byte_buffer_number(dump, begin + 4 - cie, 4);
	byte_buffer_number(dump, fde->start, 8);
	byte_buffer_number(dump, fde->size, 8);
	byte_buffer_uleb(dump, 0);
	end_entry(&fde->source, fde->program, begin, dump);
}

static void jit_object_frames_append(const struct jit_object_frames *frames, uint64_t start,
                                     struct byte_buffer *dump)
{
	const size_t at = SORTED_BELOW(frames->fde, frames->count, start, start);
	struct ehframe_cie cie;
	struct ehframe_fde fde;

	if (at == frames->count || frames->fde[at].start != start ||
	    !read_pair(frames, frames->fde[at].at, frames->fde[at].cie, &cie, &fde))
		return;
	const size_t begin = jit_record_begin(dump, RECORD_FRAMES);
	byte_buffer_number(dump, 0, 8);
	byte_buffer_number(dump, 0, 8); /* size of .eh_frame_hdr */
	byte_buffer_number(dump, 0, 8);
	const size_t table = dump->size;
	append_cie(&cie, dump);
	append_fde(&fde, table, dump);
	byte_buffer_number(dump, 0, 4);
	byte_buffer_overwrite(dump, table - 24, dump->size - table, 8);
	jit_record_end(dump, begin);
}

enum { RECORD_CODE = 0 };

/* Append a code load record. The code itself is omitted because it is in the program's memory. */
static void append_code(uint64_t start, uint64_t size, struct cairn_bytes name,
                        struct byte_buffer *dump)
{
	const size_t begin = jit_record_begin(dump, RECORD_CODE);

	byte_buffer_number(dump, 0, 8); /* process and thread IDs */
	byte_buffer_number(dump, start, 8);
	byte_buffer_number(dump, start, 8);
	byte_buffer_number(dump, size, 8);
	byte_buffer_number(dump, 0, 8);
	byte_buffer_bytes(dump, name.data, name.size);
	byte_buffer_u8(dump, 0);
	jit_record_end(dump, begin);
}

struct object {
	struct elf elf;
	struct jit_object_lines lines;
	struct jit_object_frames frames;
};

static void append_function(const struct object *object, const struct elf_section *table,
                            const struct elf_symbol *symbol, struct byte_buffer *dump)
{
	const struct cairn_bytes name = elf_symbol_name(&object->elf, table, symbol);
	struct elf_section section;
	uint64_t start = symbol->va;

	if ((symbol->type != ELF_STT_FUNC && symbol->type != ELF_STT_IFUNC) ||
	    symbol->section == 0 || symbol->size == 0 || name.size == 0)
		return;
	if (object->elf.type == ELF_TYPE_REL) {
		if (!elf_section(&object->elf, symbol->section, &section))
			return;
		start += section.va;
	}
	if (start > UINT64_MAX - symbol->size)
		return;
	jit_object_lines_append(&object->lines, start, symbol->size, dump);
	jit_object_frames_append(&object->frames, start, dump);
	append_code(start, symbol->size, name, dump);
}

bool jit_object_append(struct cairn_bytes image, struct byte_buffer *dump)
{
	struct object object = { .lines = { .count = 0 } };
	struct elf_section table;
	struct elf_symbol symbol;

	if (!elf_opens(image, &object.elf) || object.elf.big != dump->big ||
	    !elf_find_section(&object.elf, ".symtab", &table))
		return false;
	jit_object_lines_read(&object.lines, &object.elf);
	jit_object_frames_read(&object.frames, &object.elf);
	for (uint64_t i = 0; elf_symbol(&object.elf, &table, i, &symbol) && !dump->failed; i++)
		append_function(&object, &table, &symbol, dump);
	jit_object_lines_finish(&object.lines);
	jit_object_frames_finish(&object.frames);
	return true;
}

enum {
	ACTIONS = 3, /* number of actions: JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN */
	ELF_HEADER = 64,
	STEP = 1 << 16,
	PAGE = 1 << 12,
};

static bool has_object(const struct cairn_target *target, uint64_t object, uint64_t size)
{
	uint8_t begin[4];

	return size >= ELF_HEADER && size <= JIT_LIST_OBJECT &&
	       jit_list_read_memory(target, object, begin, sizeof(begin)) &&
	       elf_has_magic((struct cairn_bytes){ begin, sizeof(begin) });
}

/*
 * Return true if `entry` looks like the first entry of a list: it has no predecessor, and it refers
 * to an ELF file.
 */
static bool is_first_entry(const struct cairn_target *target, uint64_t entry, bool big)
{
	uint8_t bytes[JIT_LIST_ENTRY];

	if (entry == 0 || entry % WORD != 0 ||
	    !jit_list_read_memory(target, entry, bytes, sizeof(bytes)))
		return false;
	return bytes_unsigned(bytes + WORD, WORD, big) == 0 &&
	       bytes_unsigned(bytes, WORD, big) % WORD == 0 &&
	       has_object(target, bytes_unsigned(bytes + 2 * WORD, WORD, big),
	                  bytes_unsigned(bytes + 3 * WORD, WORD, big));
}

static bool is_list(const struct cairn_target *target, const uint8_t *bytes, bool big)
{
	return bytes_unsigned(bytes, 4, big) == JIT_LIST_VERSION &&
	       bytes_unsigned(bytes + 4, 4, big) < ACTIONS &&
	       is_first_entry(target, bytes_unsigned(bytes + 2 * WORD, WORD, big), big);
}

/*
 * Find a descriptor that begins in the first `size` bytes, and set *at to its offset. The buffer
 * must contain JIT_LIST_DESCRIPTOR more bytes.
 */
static bool scan_bytes(const struct cairn_target *target, const uint8_t *bytes, size_t size,
                       bool big, size_t *at)
{
	for (*at = 0; *at < size; *at += WORD)
		if (is_list(target, bytes + *at, big))
			return true;
	return false;
}

/*
 * Read the next bytes of `range`. If that fails, read a single page, because a capture may contain
 * one page and nothing around it. Returns the number of bytes read, and sets *step to the distance
 * to advance.
 */
static size_t read_step(const struct cairn_target *target, struct cairn_range range, uint8_t *bytes,
                        uint64_t *step)
{
	static const size_t steps[] = { STEP, PAGE };
	const uint64_t left = range.high - range.low;

	for (size_t i = 0; i < 2; i++) {
		const uint64_t wanted = steps[i] + JIT_LIST_DESCRIPTOR;
		const size_t size = (size_t)(left < wanted ? left : wanted);
		*step = left < steps[i] ? left : steps[i];
		if (jit_list_read_memory(target, range.low, bytes, size))
			return size;
	}
	*step = left < PAGE ? left : PAGE - range.low % PAGE;
	return *step >= JIT_LIST_DESCRIPTOR &&
	                       jit_list_read_memory(target, range.low, bytes, (size_t)*step)
	               ? (size_t)*step
	               : 0;
}

bool jit_list_scan(const struct cairn_target *target, struct cairn_range range, bool big,
                   uint64_t *descriptor)
{
	uint8_t *bytes = calloc(1, STEP + JIT_LIST_DESCRIPTOR);
	bool found = false;
	size_t at;

	range.low = range.low <= UINT64_MAX - WORD ? (range.low + WORD - 1) & ~(uint64_t)(WORD - 1)
	                                           : UINT64_MAX;
	while (bytes && !found && range.low < range.high &&
	       range.high - range.low >= JIT_LIST_DESCRIPTOR) {
		uint64_t step;
		const size_t size = read_step(target, range, bytes, &step);

		found = size > 0 &&
		        scan_bytes(target, bytes, size - JIT_LIST_DESCRIPTOR + 1, big, &at);
		*descriptor = found ? range.low + at : *descriptor;
		range.low += step;
	}
	free(bytes);
	return found;
}

void jit_list_finish(struct jit_list *list)
{
	free(list->entry);
}

bool jit_list_read_memory(const struct cairn_target *target, uint64_t address, void *buffer,
                          size_t size)
{
	return address <= UINT64_MAX - size &&
	       target->read_memory(target->context, address, buffer, size) == CAIRN_OK;
}

/*
 * Return the number of bytes by which an entry's object counts toward the limit: its size, or 0 if
 * it has not been captured.
 */
static uint64_t count_bytes(const struct cairn_target *target, const struct jit_list_entry *entry)
{
	uint8_t first;

	return entry->size > 0 && jit_list_read_memory(target, entry->object, &first, 1)
	               ? entry->size
	               : 0;
}

static bool read_list_entry(const struct cairn_target *target, uint64_t address, bool big,
                            struct jit_list_entry *entry)
{
	uint8_t bytes[JIT_LIST_ENTRY];

	if (!jit_list_read_memory(target, address, bytes, sizeof(bytes)))
		return false;
	*entry = (struct jit_list_entry){ .at = address,
		                          .next = bytes_unsigned(bytes, WORD, big),
		                          .object = bytes_unsigned(bytes + 2 * WORD, WORD, big),
		                          .size = bytes_unsigned(bytes + 3 * WORD, WORD, big) };
	entry->bytes = count_bytes(target, entry);
	return true;
}

/* Return the reason why the list ends before this entry, or NULL to continue. */
static const char *refuse_entry(const struct jit_list *list, const struct jit_list_entry *entry,
                                const struct jit_list_entry *old)
{
	if (old && old->at == entry->at)
		return "the list of JIT code is circular";
	if (list->count == JIT_LIST_ENTRIES)
		return "the list of JIT code has too many entries";
	if (entry->size > JIT_LIST_OBJECT || entry->bytes > list->limit - list->bytes)
		return "the objects of JIT code are too large";
	return NULL;
}

/*
 * Walk the list. To detect a cycle, compare each entry with the entry halfway back to the start of
 * the list.
 */
static void walk_list(const struct cairn_target *target, uint64_t address, bool big,
                      struct jit_list *list, struct cairn_fault *fault)
{
	struct jit_list_entry entry;

	while (address != 0) {
		const struct jit_list_entry *old =
			list->count ? &list->entry[list->count / 2] : NULL;

		fault->offset = address;
		fault->what = read_list_entry(target, address, big, &entry)
		                      ? refuse_entry(list, &entry, old)
		                      : "an entry of JIT code cannot be read";
		if (fault->what) {
			fault->status = CAIRN_MALFORMED;
			return;
		}
		if (!array_grow(&list->entry, &list->capacity, list->count + 1, sizeof(entry))) {
			*fault =
				(struct cairn_fault){ CAIRN_NO_MEMORY, address, "memory is short" };
			return;
		}
		list->entry[list->count++] = entry;
		list->bytes += entry.bytes;
		address = entry.next;
	}
	fault->offset = 0;
}

enum cairn_status jit_list_open(struct jit_list *list, const struct cairn_target *target,
                                uint64_t descriptor, bool big, struct cairn_fault *fault)
{
	uint8_t bytes[JIT_LIST_DESCRIPTOR];

	*fault = (struct cairn_fault){ .status = CAIRN_OK };
	if (!jit_list_read_memory(target, descriptor, bytes, sizeof(bytes)))
		return CAIRN_UNREADABLE;
	if (bytes_unsigned(bytes, 4, big) != JIT_LIST_VERSION)
		return CAIRN_UNSUPPORTED;
	walk_list(target, bytes_unsigned(bytes + 2 * WORD, WORD, big), big, list, fault);
	return list->count == 0 && !fault->what ? CAIRN_NOT_FOUND : CAIRN_OK;
}

/* Read in steps, so that a wrong size does not allocate much memory. */
bool jit_list_read_object(const struct cairn_target *target, const struct jit_list_entry *entry,
                          struct byte_buffer *bytes)
{
	enum { CHUNK = 1 << 16 };

	while (bytes->size < entry->size) {
		const size_t left = (size_t)entry->size - bytes->size,
			     size = left < CHUNK ? left : CHUNK;
		const uint64_t address = entry->object + bytes->size;
		uint8_t *buffer = byte_buffer_extend(bytes, size);

		if (!buffer || address < entry->object ||
		    !jit_list_read_memory(target, address, buffer, size))
			return false;
	}
	return true;
}

static void note_problem(struct cairn_fault *fault, const struct jit_list_entry *entry,
                         enum cairn_status status, const char *what)
{
	if (!fault->what)
		*fault = (struct cairn_fault){ status, entry->at, what };
}

static void read_object(const struct cairn_target *target, const struct jit_list_entry *entry,
                        struct byte_buffer *dump, struct cairn_fault *fault)
{
	struct byte_buffer bytes = { .limit = JIT_LIST_OBJECT };

	const bool is_read = jit_list_read_object(target, entry, &bytes);
	if (is_read && bytes.size > 0)
		jit_object_relocate(bytes.data, bytes.size);
	if (!is_read)
		note_problem(fault, entry, CAIRN_UNREADABLE,
		             "an object of JIT code cannot be read");
	else if (bytes.size == 0 ||
	         !jit_object_append((struct cairn_bytes){ bytes.data, bytes.size }, dump))
		note_problem(fault, entry, CAIRN_MALFORMED,
		             "an object of JIT code is not an ELF file, or is damaged");
	byte_buffer_finish(&bytes);
}

void jit_list_begin(struct byte_buffer *dump)
{
	enum { HEADER = 40, MAGIC = 0x4a695444 };

	byte_buffer_number(dump, MAGIC, 4);
	byte_buffer_number(dump, 1, 4);
	byte_buffer_number(dump, HEADER, 4);
	byte_buffer_align(dump, HEADER);
}

enum cairn_status jit_list_read(const struct cairn_target *target, uint64_t descriptor, bool big,
                                struct byte_buffer *dump, struct cairn_fault *fault)
{
	WITH_CLEANUP(jit_list_finish) struct jit_list list = { .limit = dump->limit };
	const enum cairn_status status = jit_list_open(&list, target, descriptor, big, fault);

	if (status != CAIRN_OK)
		return status;
	dump->big = big;
	jit_list_begin(dump);
	for (size_t i = list.count; i > 0 && !dump->failed; i--)
		read_object(target, &list.entry[i - 1], dump, fault);
	if (dump->failed && !fault->what)
		*fault = (struct cairn_fault){ CAIRN_NO_MEMORY, descriptor,
			                       "the information on JIT code is too large" };
	return dump->size > 0 ? CAIRN_OK : CAIRN_NO_MEMORY;
}

bool jit_list_find_descriptor(struct cairn_bytes file, const char *section, uint64_t *va)
{
	struct elf_symbol symbol;
	struct elf elf;

	if (!elf_opens(file, &elf) || !elf.wide ||
	    !elf_find_symbol(&elf, section, "__jit_debug_descriptor", ELF_STT_OBJECT,
	                     JIT_LIST_DESCRIPTOR, &symbol))
		return false;
	*va = symbol.va;
	return true;
}
