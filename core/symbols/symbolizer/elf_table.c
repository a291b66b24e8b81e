/* SPDX-License-Identifier: MIT */
/* Sorts the functions of a symbol table once, and searches them. */
#include "elf_table.h"

#include "base/array_grow.h"

#include <stdlib.h>

struct symbol_place {
	uint64_t va, size;
	uint64_t end;   /* of its section */
	uint64_t index; /* in the table */
};

static int compare_places(const void *left, const void *right)
{
	const struct symbol_place *a = left, *b = right;

	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Symbols of one section mostly follow each other: the last answer is kept in *section. */
static uint64_t find_section_end(const struct elf_table *table, uint32_t number,
                                 struct elf_section *section)
{
	if (section->index != number && !elf_section(&table->elf, number, section))
		return UINT64_MAX;
	return section->size <= UINT64_MAX - section->va ? section->va + section->size : UINT64_MAX;
}

static bool add_symbol(struct elf_table *table, uint64_t index, const struct elf_symbol *symbol,
                       struct elf_section *section)
{
	if ((symbol->type != ELF_STT_FUNC && symbol->type != ELF_STT_IFUNC) || symbol->section == 0)
		return true;
	if (!array_grow(&table->places, &table->room, table->count + 1, sizeof(*table->places)))
		return false;
	table->places[table->count++] =
		(struct symbol_place){ symbol->va, symbol->size,
		                       find_section_end(table, symbol->section, section), index };
	return true;
}

bool elf_table_open(struct elf_table *table, struct cairn_bytes file)
{
	struct cairn_fault fault;
	struct elf_section section = { .index = 0 };
	struct elf_symbol symbol;
	bool good = true;

	*table = (struct elf_table){ .count = 0 };
	if (elf_open(file, &table->elf, &fault) != CAIRN_OK ||
	    (!elf_find_section(&table->elf, ".symtab", &table->section) &&
	     !elf_find_section(&table->elf, ".dynsym", &table->section)))
		return true;
	for (uint64_t i = 0; good && elf_symbol(&table->elf, &table->section, i, &symbol); i++)
		good = add_symbol(table, i, &symbol, &section);
	if (good && table->count > 0)
		qsort(table->places, table->count, sizeof(*table->places), compare_places);
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

bool elf_table_find(const struct elf_table *table, uint64_t va, struct cairn_location *location)
{
	size_t low = 0, high = table->count;
	struct elf_symbol symbol;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (table->places[middle].va <= va)
			low = middle + 1;
		else
			high = middle;
	}
	/* of several names of one address the first of the table counts; size 0: up to the next one, or the section's end */
	while (low > 1 && table->places[low - 2].va == table->places[low - 1].va)
		low--;
	if (low == 0)
		return false;
	const struct symbol_place *place = &table->places[low - 1];
	if ((place->size > 0 ? va - place->va >= place->size : va >= place->end) ||
	    !elf_symbol(&table->elf, &table->section, place->index, &symbol))
		return false;
	*location = (struct cairn_location){ .function = elf_symbol_name(&table->elf,
		                                                         &table->section, &symbol),
		                             .directory = { (const uint8_t *)"", 0 },
		                             .file = { (const uint8_t *)"", 0 },
		                             .start = place->va,
		                             .offset = va - place->va };
	return location->function.size > 0;
}
