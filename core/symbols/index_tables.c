/* SPDX-License-Identifier: MIT */
/*
 * Looks up addresses in the symbol tables of a module's files, and in the stubs of its PLT. Each
 * table is sorted once and then searched.
 */
#include "symbolizer.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/range.h"
#include "base/sort.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

/* The symbols of one file: .symtab, or .dynsym if .symtab is missing. */
struct elf_table {
	struct elf elf;
	struct elf_section section;
	struct symbol_place *places;
	size_t count, capacity;
};

/*
 * Symbols of a module. The debug file is searched first because it also contains symbols that are
 * not exported.
 */
struct elf_tables {
	struct elf_table debug, program;
	const char *path;
};

struct symbol_place {
	uint64_t va, size;
	uint64_t end;
	/*
	 * index of the symbol in its table, and of the STT_FILE symbol that names its source file
	 * (0 if unknown)
	 */
	uint64_t index, file;
	bool local;
};

/*
 * Compare by address. Functions at the same address are sorted in reverse symbol table order.
 * prefer_names() then moves the one with the best name to the end, where a search finds it.
 */
static int compare_function_symbols(const void *left, const void *right)
{
	const struct symbol_place *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(b->index, a->index, 0));
}

/*
 * Compare by address, then by size. A search thus finds the largest label and, among equally large
 * ones, the last in the symbol table.
 */
static int compare_label_symbols(const void *left, const void *right)
{
	const struct symbol_place *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(a->size, b->size, ORDER_BY(a->index, b->index, 0)));
}

/*
 * Find a section by its index. Because consecutive symbols are mostly in the same section, *section
 * caches the last one.
 */
static bool find_symbol_section(const struct elf_table *table, uint32_t number,
                                struct elf_section *section)
{
	return section->index == number || elf_section(&table->elf, number, section);
}

static bool is_function(const struct elf_symbol *symbol)
{
	return (symbol->type == ELF_STT_FUNC || symbol->type == ELF_STT_IFUNC) &&
	       symbol->section != 0;
}

/*
 * Return true if the symbol has a name, its section is loaded, and its type is code, data or
 * unspecified.
 */
static bool is_label(const struct elf_table *table, const struct elf_symbol *symbol,
                     struct elf_section *section)
{
	return (is_function(symbol) || symbol->type == ELF_STT_NOTYPE ||
	        symbol->type == ELF_STT_OBJECT) &&
	       symbol->section != 0 && symbol->section < ELF_SHN_RESERVED &&
	       find_symbol_section(table, symbol->section, section) &&
	       (section->flags & ELF_SHF_ALLOC) &&
	       elf_symbol_name(&table->elf, &table->section, symbol).size > 0;
}

/*
 * Read the symbols into `places`. Symbols that the linker has created follow an STT_FILE symbol
 * without a name, so they have no source file.
 */
static bool read_places(struct elf_table *table, bool labels)
{
	struct elf_section section = { .index = 0 };
	struct elf_symbol symbol;
	uint64_t file = 0;
	bool good = true;

	for (uint64_t i = 0; good && elf_symbol(&table->elf, &table->section, i, &symbol); i++) {
		if (symbol.type == ELF_STT_FILE)
			file = i;
		if (!(labels ? is_label(table, &symbol, &section) : is_function(&symbol)))
			continue;
		struct symbol_place place = {
			.va = symbol.va,
			.size = symbol.size,
			.end = UINT64_MAX,
			.index = i,
			.file = labels && symbol.local ? file : 0,
			.local = symbol.local,
		};
		if (!labels && find_symbol_section(table, symbol.section, &section) &&
		    section.size <= UINT64_MAX - section.va)
			place.end = section.va + section.size;
		good = ARRAY_APPEND(table->places, table->count, table->capacity, place);
	}
	return good;
}

/* Return a symbol's name without a version suffix. */
static struct cairn_bytes read_symbol_name(const struct elf_table *table, uint64_t index)
{
	struct elf_symbol symbol;

	if (!elf_symbol(&table->elf, &table->section, index, &symbol))
		return none;
	struct cairn_bytes name = elf_symbol_name(&table->elf, &table->section, &symbol);
	const uint8_t *version = name.size > 0 ? memchr(name.data + 1, '@', name.size - 1) : NULL;
	if (version && symbol.type != ELF_STT_FILE)
		name.size = (size_t)(version - name.data);
	return name;
}

/* Compare two functions at one address in the order of aliases_best() (debuginfo/symbol_table.h). */
static bool has_better_name(const struct elf_table *table, const struct symbol_place *a,
                            const struct symbol_place *b)
{
	if (a->local != b->local)
		return b->local;
	if ((a->size == 0) != (b->size == 0))
		return b->size == 0;
	return name_order_compare(read_symbol_name(table, a->index),
	                          read_symbol_name(table, b->index)) < 0;
}

/* Move the function with the best name to the end of those at its address. */
static void prefer_names(struct elf_table *table)
{
	for (size_t i = 1; i < table->count; i++) {
		struct symbol_place *last = &table->places[i], *before = last - 1;
		const struct symbol_place best = *before;
		if (last->va == before->va && has_better_name(table, before, last)) {
			*before = *last;
			*last = best;
		}
	}
}

/* Read and sort the symbols. Returns false if there are none, or if allocation fails. */
static bool open_table(struct elf_table *table, struct cairn_bytes file, bool labels)
{
	if (!elf_opens(file, &table->elf) ||
	    (!elf_find_section(&table->elf, ".symtab", &table->section) &&
	     !elf_find_section(&table->elf, ".dynsym", &table->section)))
		return false;
	if (!read_places(table, labels))
		table->count = 0;
	if (table->count > 0)
		qsort(table->places, table->count, sizeof(*table->places),
		      labels ? compare_label_symbols : compare_function_symbols);
	if (table->count > 0 && !labels)
		prefer_names(table);
	return table->count > 0;
}

enum cairn_status elf_tables_open(struct cairn_symbol_search *search, bool labels,
                                  struct elf_tables **opened)
{
	struct elf_tables *tables = calloc(1, sizeof(*tables));
	struct cairn_open_file program, debug;

	if (!tables)
		return CAIRN_NO_MEMORY;
	const bool has_program = search->file(search, CAIRN_FILE_PROGRAM, none, none, &program) &&
	                         open_table(&tables->program, program.bytes, labels);
	const bool has_debug = search->file(search, CAIRN_FILE_DEBUG, none, none, &debug) &&
	                       open_table(&tables->debug, debug.bytes, labels);
	if (!has_program && !has_debug) {
		elf_tables_close(tables);
		return CAIRN_NOT_FOUND;
	}
	tables->path = has_debug ? debug.path : program.path;
	*opened = tables;
	return CAIRN_OK;
}

void elf_tables_close(void *opened)
{
	struct elf_tables *tables = opened;

	if (!tables)
		return;
	free(tables->debug.places);
	free(tables->program.places);
	free(tables);
}

uint64_t elf_tables_memory(const void *opened)
{
	const struct elf_tables *tables = opened;

	return (tables->debug.capacity + tables->program.capacity) * sizeof(struct symbol_place);
}

static bool find_in_table(const struct elf_table *table, uint64_t va,
                          struct cairn_location *location)
{
	const size_t low = SORTED_UP_TO(table->places, table->count, va, va);

	if (low == 0)
		return false;
	/* a symbol without a size extends to the next symbol or to the end of its section */
	const struct symbol_place *place = &table->places[low - 1];
	if (place->size > 0 ? va - place->va >= place->size : va >= place->end)
		return false;
	*location =
		(struct cairn_location){ .function = read_symbol_name(table, place->index),
		                         .directory = none,
		                         .file = place->file ? read_symbol_name(table, place->file)
		                                             : none,
		                         .start = place->va,
		                         .offset = va - place->va,
		                         .size = range_location_size(place->size) };
	return location->function.size > 0;
}

bool elf_tables_find(const struct elf_tables *tables, uint64_t va, struct cairn_location *location)
{
	return find_in_table(&tables->debug, va, location) ||
	       find_in_table(&tables->program, va, location);
}

static void take_location(const struct cairn_symbol_taker *sink, size_t index,
                          const struct cairn_location *location)
{
	const struct cairn_symbol_found found = { .locations = location, .count = 1, .all = 1 };

	sink->take(sink->context, index, &found);
}

static enum cairn_status open_tables(void *context, struct cairn_symbol_search *search,
                                     void **opened, struct cairn_fault *fault)
{
	struct elf_tables *tables;

	(void)context;
	(void)fault;
	const enum cairn_status status = elf_tables_open(search, false, &tables);
	if (status == CAIRN_OK)
		*opened = tables;
	return status;
}

static void find_in_tables(void *opened, const uint64_t *vas, size_t count,
                           const struct cairn_symbol_taker *sink)
{
	struct cairn_location location;

	for (size_t i = 0; i < count; i++)
		if (elf_tables_find(opened, vas[i], &location))
			take_location(sink, i, &location);
}

static const char *find_tables_path(const void *opened)
{
	return ((const struct elf_tables *)opened)->path;
}

const struct cairn_symbol_source symbolizer_tables = { .size = sizeof(symbolizer_tables),
	                                               .rank = 400,
	                                               .name = "table",
	                                               .open = open_tables,
	                                               .find = find_in_tables,
	                                               .close = elf_tables_close,
	                                               .path = find_tables_path,
	                                               .memory = elf_tables_memory };

enum { STUB_NAMES_MAX = 1024, STUB_NAME_MAX = 1024 };

struct stub_name {
	struct stub_name *next;
	uint64_t start;
	size_t size;
	char text[];
};

struct stubs {
	struct elf_stubs stubs;
	struct stub_name *names;
	unsigned count;
	const char *path;
};

static enum cairn_status open_stubs(void *context, struct cairn_symbol_search *search,
                                    void **opened, struct cairn_fault *fault)
{
	struct cairn_open_file file;
	struct elf elf;

	(void)context;
	if (!search->file(search, CAIRN_FILE_PROGRAM, none, none, &file) ||
	    elf_open(file.bytes, &elf, fault) != CAIRN_OK)
		return CAIRN_NOT_FOUND;
	struct stubs *stubs = calloc(1, sizeof(*stubs));
	if (!stubs)
		return CAIRN_NO_MEMORY;
	stubs->path = file.path;
	if (elf_stubs_open(&elf, &stubs->stubs)) {
		*opened = stubs;
		return CAIRN_OK;
	}
	free(stubs);
	return CAIRN_NOT_FOUND;
}

static void close_stubs(void *opened)
{
	struct stubs *stubs = opened;

	while (stubs->names) {
		struct stub_name *name = stubs->names;
		stubs->names = name->next;
		free(name);
	}
	free(stubs);
}

/*
 * Return "NAME@plt", which is valid until the source is closed, or NULL if the name is too long or
 * there are too many names.
 */
static const struct stub_name *name_stub(struct stubs *stubs, struct cairn_bytes name,
                                         uint64_t start)
{
	static const char suffix[] = "@plt";

	for (struct stub_name *known = stubs->names; known; known = known->next)
		if (known->start == start)
			return known;
	if (name.size > STUB_NAME_MAX || stubs->count == STUB_NAMES_MAX)
		return NULL;
	struct stub_name *made = malloc(sizeof(*made) + name.size + sizeof(suffix));
	if (!made)
		return NULL;
	*made = (struct stub_name){ stubs->names, start, name.size + sizeof(suffix) - 1 };
	memcpy(made->text, name.data, name.size);
	memcpy(made->text + name.size, suffix, sizeof(suffix));
	stubs->names = made;
	stubs->count++;
	return made;
}

static void find_in_stubs(void *opened, const uint64_t *vas, size_t count,
                          const struct cairn_symbol_taker *sink)
{
	struct stubs *stubs = opened;
	uint64_t start;

	for (size_t i = 0; i < count; i++) {
		const struct cairn_bytes called = elf_stubs_name(&stubs->stubs, vas[i], &start);
		const struct stub_name *name =
			called.size > 0 ? name_stub(stubs, called, start) : NULL;
		if (!name)
			continue;
		const struct cairn_location location = { .function = { (const uint8_t *)name->text,
			                                               name->size },
			                                 .directory = none,
			                                 .file = none,
			                                 .start = start,
			                                 .offset = vas[i] - start };
		take_location(sink, i, &location);
	}
}

static const char *find_stubs_path(const void *opened)
{
	return ((const struct stubs *)opened)->path;
}

const struct cairn_symbol_source symbolizer_stubs = { .size = sizeof(symbolizer_stubs),
	                                              .rank = 500,
	                                              .name = "stubs",
	                                              .open = open_stubs,
	                                              .find = find_in_stubs,
	                                              .close = close_stubs,
	                                              .path = find_stubs_path };
