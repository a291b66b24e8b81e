/* SPDX-License-Identifier: MIT */
/* Sorts the functions of a symbol table once, or all that it names, and searches them. */
#include "elf_table.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "base/order.h"
#include "base/range.h"

#include <stdlib.h>

struct symbol_place {
	uint64_t va, size;
	uint64_t end;         /* of its section */
	uint64_t index, file; /* in the table; `file` is the symbol of its source, 0: not known */
};

/* The first function of the table among those at one address comes last, and is found. */
static int compare_function_symbols(const void *left, const void *right)
{
	const struct symbol_place *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(b->index, a->index, 0));
}

/* The largest label among those at one address comes last; the later one if they are equally large. */
static int compare_label_symbols(const void *left, const void *right)
{
	const struct symbol_place *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(a->size, b->size, ORDER_BY(a->index, b->index, 0)));
}

/* Symbols of one section mostly follow each other: the last one is kept in *section. */
static bool find_symbol_section(const struct elf_table *table, uint32_t number,
                                struct elf_section *section)
{
	return section->index == number || elf_section(&table->elf, number, section);
}

static uint64_t find_section_end(const struct elf_table *table, uint32_t number,
                                 struct elf_section *section)
{
	if (!find_symbol_section(table, number, section))
		return UINT64_MAX;
	return section->size <= UINT64_MAX - section->va ? section->va + section->size : UINT64_MAX;
}

static bool is_function(const struct elf_symbol *symbol)
{
	return (symbol->type == ELF_STT_FUNC || symbol->type == ELF_STT_IFUNC) &&
	       symbol->section != 0;
}

/* Does it name something that is loaded, and is it not a mark for other tools? */
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

/* The linker's own symbols come after a file without a name. */
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
		const struct symbol_place place = {
			.va = symbol.va,
			.size = symbol.size,
			.end = labels ? UINT64_MAX
			              : find_section_end(table, symbol.section, &section),
			.index = i,
			.file = labels && symbol.local ? file : 0,
		};
		good = ARRAY_APPEND(table->places, table->count, table->room, place);
	}
	return good;
}

bool elf_table_open(struct elf_table *table, struct cairn_bytes file, enum elf_table_kind kind)
{
	const bool labels = kind == ELF_TABLE_LABELS;

	*table = (struct elf_table){ .count = 0 };
	if (!elf_opens(file, &table->elf) ||
	    (!elf_find_section(&table->elf, ".symtab", &table->section) &&
	     !elf_find_section(&table->elf, ".dynsym", &table->section)))
		return true;
	const bool good = read_places(table, labels);
	if (good && table->count > 0)
		qsort(table->places, table->count, sizeof(*table->places),
		      labels ? compare_label_symbols : compare_function_symbols);
	if (!good)
		elf_table_close(table);
	return good;
}

void elf_table_close(struct elf_table *table)
{
	free(table->places);
	*table = (struct elf_table){ .count = 0 };
}

uint64_t elf_table_memory(const struct elf_table *table)
{
	return table->room * sizeof(*table->places);
}

static struct cairn_bytes read_symbol_name(const struct elf_table *table, uint64_t index)
{
	struct elf_symbol symbol;

	if (!elf_symbol(&table->elf, &table->section, index, &symbol))
		return (struct cairn_bytes){ (const uint8_t *)"", 0 };
	return elf_symbol_name(&table->elf, &table->section, &symbol);
}

bool elf_table_find(const struct elf_table *table, uint64_t va, struct cairn_location *location)
{
	const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	const size_t low = SORTED_UP_TO(table->places, table->count, va, va);

	if (low == 0)
		return false;
	/* size 0: up to the next one, or the section's end */
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
