/* SPDX-License-Identifier: MIT */
/* Finds the sections that lookups read by our own decoder, and keeps the tables of a file by their offsets. */
#include "line_tables.h"

#include "base/array_grow.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

static const uint8_t nothing[1];

/* Is it this section, or the same one as it was compressed before ELF had a flag for that? */
static bool is_named(const char *name, const char *wanted)
{
	return strcmp(name, wanted) == 0 ||
	       (strncmp(name, ".z", 2) == 0 && strcmp(name + 2, wanted + 1) == 0);
}

static void take_section(struct dwarf_sections *sections, const char *name, Elf_Scn *section)
{
	const struct {
		const char *name;
		struct cairn_bytes *bytes;
	} wanted[] = {
		{ ".debug_info", &sections->info },
		{ ".debug_abbrev", &sections->abbrev },
		{ ".debug_line", &sections->line },
		{ ".debug_str", &sections->str },
		{ ".debug_line_str", &sections->line_str },
		{ ".debug_str_offsets", &sections->str_offsets },
		{ ".debug_addr", &sections->addr },
		{ ".debug_ranges", &sections->ranges },
		{ ".debug_rnglists", &sections->rnglists },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (wanted[i].bytes->size > 0 || !is_named(name, wanted[i].name))
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		if (data && data->d_buf)
			*wanted[i].bytes = (struct cairn_bytes){ data->d_buf, data->d_size };
	}
}

static void find_sections(struct dwarf_sections *sections, Elf *elf)
{
	const struct cairn_bytes empty = { nothing, 0 };
	const char *ident = elf_getident(elf, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	*sections = (struct dwarf_sections){ empty, empty, empty, empty, empty, empty,
		                             empty, empty, empty, false };
	sections->big = ident && ident[EI_DATA] == ELFDATA2MSB;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		const char *name = gelf_getshdr(section, &header)
		                           ? elf_strptr(elf, names, header.sh_name)
		                           : NULL;
		if (name)
			take_section(sections, name, section);
	}
}

void line_tables_open(struct line_tables *tables, Dwarf *dwarf, struct budget *budget)
{
	*tables = (struct line_tables){ .budget = budget, .texts.budget = budget };
	find_sections(&tables->sections, dwarf_getelf(dwarf));
}

void line_tables_finish(struct line_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++) {
		line_table_finish(tables->table[i]);
		free(tables->table[i]);
	}
	free(tables->table);
	free(tables->by_offset.slot);
	string_store_finish(&tables->texts);
	*tables = (struct line_tables){ .budget = tables->budget };
}

struct cairn_bytes line_tables_comp_dir(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *text =
		dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;

	return (struct cairn_bytes){ text ? (const uint8_t *)text : nothing,
		                     text ? strlen(text) : 0 };
}

static struct line_table *read_unit_lines(struct line_tables *tables, uint64_t offset,
                                          Dwarf_Die *unit)
{
	struct line_table *table = calloc(1, sizeof(*table));
	uint8_t address_size = 8;
	Dwarf_Die root;

	if (!dwarf_diecu(unit, &root, &address_size, NULL))
		address_size = 8;
	if (table && budget_memory(tables->budget, sizeof(*table)) &&
	    array_grow(&tables->table, &tables->room, tables->count + 1, sizeof(table)) &&
	    line_table_read(table, &tables->sections, offset, address_size,
	                    line_tables_comp_dir(unit), tables->budget))
		return table;
	if (table)
		line_table_finish(table);
	free(table);
	return NULL;
}

struct line_table *line_tables_of_unit(struct line_tables *tables, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (!dwarf_attr(unit, DW_AT_stmt_list, &attribute) ||
	    dwarf_formudata(&attribute, &offset) != 0 || offset == UINT64_MAX)
		return NULL;
	struct number_slot *slot = number_map_at(&tables->by_offset, offset + 1);
	if (!slot)
		return NULL;
	if (slot->key)
		return tables->table[slot->number];
	struct line_table *table = read_unit_lines(tables, offset, unit);
	if (!table)
		return NULL;
	*slot = (struct number_slot){ offset + 1, (uint32_t)tables->count };
	tables->by_offset.count++;
	tables->table[tables->count++] = table;
	return table;
}
