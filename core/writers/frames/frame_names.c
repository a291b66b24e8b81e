/* SPDX-License-Identifier: MIT */
/* Names the functions of a frame table with the program's own symbol tables. */
#include "frame_writer.h"

#include "base/sort.h"

static struct frame_function *find_frame_function(const struct frame_table *table, uint64_t va)
{
	const size_t first = SORTED_BELOW(table->function, table->functions, range.low, va);

	return first < table->functions && table->function[first].range.low == va
	               ? &table->function[first]
	               : NULL;
}

/* Keep the first name of a function, so that at most one name is read per function. */
static void read_names(const struct elf *elf, const struct elf_section *symbols,
                       struct frame_table *table)
{
	struct elf_symbol symbol;

	for (uint64_t i = 1; elf_symbol(elf, symbols, i, &symbol); i++) {
		if ((symbol.type != ELF_STT_FUNC && symbol.type != ELF_STT_IFUNC) ||
		    symbol.section == 0)
			continue;
		struct frame_function *function = find_frame_function(table, symbol.va);
		if (function && !function->name.data)
			function->name = elf_symbol_name(elf, symbols, &symbol);
	}
}

void frame_table_name_functions(const struct elf *elf, struct frame_table *table)
{
	static const uint32_t types[] = { ELF_SHT_SYMTAB, ELF_SHT_DYNSYM };
	struct elf_section s;

	for (unsigned t = 0; t < sizeof(types) / sizeof(*types); t++)
		if (elf_find_section_of_type(elf, types[t], &s))
			read_names(elf, &s, table);
}
