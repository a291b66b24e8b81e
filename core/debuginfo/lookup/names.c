/* SPDX-License-Identifier: MIT */
/* Looks up an address in DWARF and the symbol table and returns its inlined call chain. */
#include "names.h"

#include "paths.h"
#include "units.h"
#include "unpacked_image.h"

#include "debuginfo/elf/symtab.h"
#include "os/module/separate_debug_files.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct debuginfo_names {
	Elf *elf;
	void *image; /* the unpacked DWARF of a compressed file; NULL: libdw reads the file itself */
	Elf *image_elf; /* over it */
	Dwarf *dwarf;   /* NULL when there is none */
	struct cairn_bytes file;
	struct budget_pool pool;
	struct budget budget;  /* draws from the pool */
	uint64_t decompressed; /* bytes that the sections have more than the file */
	bool was_read;
	struct units units;
	bool all_read;
	struct symtab all; /* variables too */
};

/* A place in a source; the file is empty when it is not known. */
struct place {
	struct cairn_bytes file;
	uint32_t line, column;
};

/* What is wanted of the locations. */
struct wanted_names {
	enum debuginfo_paths paths;
	bool short_names;
};

/* The locations of an address while they are gathered. */
struct location_query {
	struct debuginfo_names *names;
	struct unit *unit;
	uint64_t va;
	struct wanted_names wanted;
	struct cairn_location *locations;
	size_t count;
};

static struct cairn_bytes borrow_text_or_empty(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)(text ? text : ""), text ? strlen(text) : 0 };
}

/* How large a section is once libdw has decompressed it; 0 when it is not compressed. */
static uint64_t read_decompressed_size(Elf_Scn *section)
{
	enum { OLD_HEADER = 12, SIZE_AT = 4 };
	GElf_Chdr compressed;
	uint64_t size = 0;

	if (gelf_getchdr(section, &compressed))
		return compressed.ch_size;
	Elf_Data *data = elf_rawdata(section, NULL);
	const uint8_t *bytes = data ? data->d_buf : NULL;
	if (!bytes || data->d_size < OLD_HEADER || memcmp(bytes, "ZLIB", SIZE_AT) != 0)
		return 0;
	for (unsigned i = SIZE_AT; i < OLD_HEADER; i++)
		size = size << 8 | bytes[i];
	return size;
}

/* Draws what libdw will decompress, all at once, when it opens the file. */
static bool charge_sections(struct debuginfo_names *n)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(n->elf, section)) != NULL) {
		uint64_t size = read_decompressed_size(section);
		if (size > 0 && !budget_inflate(&n->budget, size))
			return false;
		n->decompressed += size;
	}
	return true;
}

static bool open_budget(struct debuginfo_names *n)
{
	budget_pool_open(&n->pool);
	n->budget = (struct budget){ .pool = &n->pool };
	return budget_credit(&n->pool, n->file) && budget_inflate(&n->budget, n->decompressed);
}

static Dwarf *open_dwarf(struct debuginfo_names *n)
{
	if (!separate_debug_files_alt_is_harmless(n->file))
		return NULL;
	return dwarf_begin_elf(n->image_elf ? n->image_elf : n->elf, DWARF_C_READ, NULL);
}

/* An image of what is compressed, if that will do; else what libdw will unpack itself is drawn. */
static bool prepare_sections(struct debuginfo_names *n)
{
	size_t size;

	n->image = unpacked_image_build(n->file, &n->budget, &size);
	if (n->image)
		n->image_elf = elf_memory(n->image, size);
	if (!n->image_elf)
		return charge_sections(n);
	n->decompressed = size;
	return true;
}

struct debuginfo_names *debuginfo_names_open(struct cairn_bytes file, const char **why)
{
	struct debuginfo_names *n = calloc(1, sizeof(*n));

	if (!n) {
		*why = "out of memory";
		return NULL;
	}
	n->file = file;
	bool ok = open_budget(n);
	elf_version(EV_CURRENT);
	/* libelf takes a pointer that is not const, and only reads. */
	n->elf = elf_memory((char *)(uintptr_t)file.data, file.size);
	if (!ok || !n->elf || elf_kind(n->elf) != ELF_K_ELF) {
		*why = ok ? "libelf cannot read the file" : "out of memory";
		debuginfo_names_close(n);
		return NULL;
	}
	if (prepare_sections(n))
		n->dwarf = open_dwarf(n);
	return n;
}

void debuginfo_names_close(struct debuginfo_names *names)
{
	if (!names)
		return;
	units_finish(&names->units);
	symtab_finish(&names->all);
	dwarf_end(names->dwarf);
	elf_end(names->image_elf);
	free(names->image);
	elf_end(names->elf);
	budget_pool_close(&names->pool);
	free(names);
}

const char *debuginfo_names_cut(const struct debuginfo_names *names)
{
	return names->budget.exhausted ? budget_kind_text(names->budget.spent) : NULL;
}

bool debuginfo_names_have_dwarf(const struct debuginfo_names *names)
{
	return names->dwarf != NULL;
}

void debuginfo_names_release(struct debuginfo_names *n)
{
	units_finish(&n->units);
	n->was_read = false;
	if (!n->dwarf)
		return;
	dwarf_end(n->dwarf);
	n->dwarf = NULL;
	/* what was given back may be drawn again, but nothing that was too much */
	if (n->budget.exhausted)
		return;
	budget_pool_close(&n->pool);
	if (open_budget(n))
		n->dwarf = open_dwarf(n);
}

size_t debuginfo_names_units_read(const struct debuginfo_names *names)
{
	return names->units.read;
}

static void open_units(struct debuginfo_names *n)
{
	if (!n->was_read)
		units_open(&n->units, n->dwarf, n->file, &n->budget);
	n->was_read = true;
}

static const char *read_die_name(Dwarf_Die *die)
{
	static const unsigned names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = NULL;
		if (dwarf_attr_integrate(die, names[i], &attribute))
			name = dwarf_formstring(&attribute);
		if (name)
			return name;
	}
	return dwarf_diename(die);
}

/* Code that no source has is in a file without a folder, whatever the line table says. */
static struct cairn_bytes strip_generated_folder(struct cairn_bytes path)
{
	const struct cairn_bytes made = TEXT("/<compiler-generated>");

	if (path.size < made.size ||
	    memcmp(path.data + path.size - made.size, made.data, made.size) != 0)
		return path;
	return (struct cairn_bytes){ path.data + path.size - made.size + 1, made.size - 1 };
}

/* The path of a file, by its number in the line table. */
static struct cairn_bytes find_file(struct debuginfo_names *n, struct line_table *lines,
                                    uint64_t number)
{
	return strip_generated_folder(
		line_files_path(&lines->files, number, &n->units.lines.texts));
}

static struct place find_line_place(const struct location_query *answer)
{
	struct debuginfo_names *n = answer->names;
	struct line_table *lines = units_lines(&n->units, answer->unit);
	struct place place = { borrow_text_or_empty(NULL), 0, 0 };
	struct dwarf_row row;

	if (lines && line_table_find(lines, answer->va, &n->budget, &row))
		place = (struct place){ find_file(n, lines, row.file), row.line, row.column };
	return place;
}

static Dwarf_Word read_die_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &number) != 0)
		return 0;
	return number;
}

static uint32_t read_die_small_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Word number = read_die_number(die, name);

	return number <= INT32_MAX ? (uint32_t)number : 0;
}

/* Where an inlined call is in the function around it. */
static struct place read_call_place(const struct location_query *answer, Dwarf_Die *call)
{
	struct line_table *lines = units_lines(&answer->names->units, answer->unit);
	struct place place = { borrow_text_or_empty(NULL),
		               read_die_small_number(call, DW_AT_call_line),
		               read_die_small_number(call, DW_AT_call_column) };

	if (lines)
		place.file =
			find_file(answer->names, lines, read_die_number(call, DW_AT_call_file));
	return place;
}

static struct cairn_location make_location(const struct units_range *range, const char *name,
                                           uint64_t va, struct place place, bool inlined)
{
	return (struct cairn_location){ .function = borrow_text_or_empty(name),
		                        .directory = borrow_text_or_empty(NULL),
		                        .file = place.file,
		                        .start = range->low,
		                        .offset = va - range->low,
		                        .line = place.line,
		                        .column = place.column,
		                        .inlined = inlined };
}

/* NULL: the entry has none. */
static const char *choose_die_name(Dwarf_Die *die, const struct wanted_names *wanted)
{
	return wanted->short_names ? dwarf_diename(die) : read_die_name(die);
}

/* One more location of an answer; its place gives the part of the path that is wanted. */
static void append_location(struct location_query *answer, const struct units_range *range,
                            const char *name, struct place place, bool inlined)
{
	struct cairn_location *l = &answer->locations[answer->count++];

	*l = make_location(range, name, answer->va, place, inlined);
	if (place.file.size > 0)
		paths_shorten(answer->unit, &answer->unit->lines->files, place.file,
		              answer->wanted.paths, l);
}

/*
 * *number goes down to that of the next inlined call around the address; false: there is none, the answer is full,
 * or the calls overlap so that the search takes more than its budget.
 */
static bool next_call_around(const struct location_query *answer,
                             const struct units_range *function, size_t *number)
{
	uint64_t steps = 0;

	*number = units_range_below(&answer->unit->inlined, *number, function->first, answer->va,
	                            &steps);
	return *number > function->first && answer->count < DEBUGINFO_LOCATIONS - 1 &&
	       (steps <= UNITS_STEPS_FREE ||
	        budget_work(&answer->names->budget, steps - UNITS_STEPS_FREE));
}

/* The inlined calls around `va`, then the function itself. */
static size_t collect_inline_locations(struct location_query *answer,
                                       const struct units_range *function)
{
	struct unit *unit = answer->unit;
	struct place place = find_line_place(answer);
	Dwarf_Die die;

	for (size_t i = function->behind; next_call_around(answer, function, &i);) {
		const struct units_range *call = &unit->inlined.range[--i];
		if (!dwarf_offdie(answer->names->dwarf, call->die, &die))
			continue;
		append_location(answer, call, choose_die_name(&die, &answer->wanted), place, true);
		place = read_call_place(answer, &die);
	}
	const char *name = dwarf_offdie(answer->names->dwarf, function->die, &die)
	                           ? choose_die_name(&die, &answer->wanted)
	                           : NULL;
	append_location(answer, function, name, place, false);
	return answer->count;
}

size_t debuginfo_names_chain(struct debuginfo_names *n, uint64_t va, enum debuginfo_paths paths,
                             bool short_names, struct cairn_location locations[DEBUGINFO_LOCATIONS])
{
	const struct units_range here = { .low = va };

	open_units(n);
	struct unit *unit = units_find(&n->units, va);
	if (!unit)
		return 0;
	struct location_query answer = { n, unit, va, { paths, short_names }, locations, 0 };
	const struct units_range *function = units_range_at(&unit->functions, va);
	if (function)
		return collect_inline_locations(&answer, function);
	struct place place = find_line_place(&answer);
	if (place.file.size > 0 || place.line)
		append_location(&answer, &here, NULL, place, false);
	return answer.count;
}

bool debuginfo_names_symbol(struct debuginfo_names *n, uint64_t va, struct cairn_location *location)
{
	if (!n->all_read && !symtab_read(&n->all, n->elf))
		n->all.count = 0;
	n->all_read = true;
	const struct symtab_entry *entry = symtab_find(&n->all, va);
	if (entry)
		*location = (struct cairn_location){ .function = borrow_text_or_empty(entry->name),
			                             .directory = borrow_text_or_empty(NULL),
			                             .file = borrow_text_or_empty(entry->file),
			                             .start = entry->va,
			                             .offset = va - entry->va };
	return entry != NULL;
}
