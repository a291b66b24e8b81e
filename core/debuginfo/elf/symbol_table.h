/* SPDX-License-Identifier: MIT */
/*
 * Iterates over the symbols of an ELF file that name code, in table order. Nothing is stored, so
 * lookups of a few addresses need not sort the whole table.
 *
 *	struct symbol_table table;
 *	struct alias symbol;
 *	if (symbol_table_open(&table, file, ALIASES_SYMTAB, &fault) == CAIRN_OK)
 *		while (symbol_table_next(&table, (struct cairn_range){ va, va }, &symbol))
 *			... symbol.va, symbol.size
 */
#ifndef CAIRN_DEBUGINFO_ELF_SYMBOL_TABLE_H
#define CAIRN_DEBUGINFO_ELF_SYMBOL_TABLE_H

#include "aliases.h"

#include "formats/elf/elf.h"

struct symbol_table {
	struct elf elf;
	struct cairn_bytes entries, strings;
	struct elf_section opd; /* type is 0 if the file does not have the section */
	size_t at;
	uint64_t names_left; /* limit on the bytes of the remaining names */
	bool is_moved;       /* addresses need conversion (Thumb bit, descriptors) */
	bool with_names;     /* read names, and skip symbols without one */
	/* names_left is used up: names overlap more than in the output of any linker */
	bool exhausted;
};

/*
 * Return true if the symbol begins in the range, including its end, or extends into it from before.
 */
static inline bool symbol_is_near(uint64_t va, uint64_t size, struct cairn_range near)
{
	return va <= near.high && (va >= near.low || size > near.low - va);
}

/*
 * Open a table. Returns NOT_FOUND if it does not exist. Fault offsets count from the start of
 * the file.
 */
CAIRN_MUST_USE enum cairn_status symbol_table_open(struct symbol_table *table,
                                                   struct cairn_bytes file,
                                                   enum aliases_table which,
                                                   struct cairn_fault *fault);

/*
 * Return the next symbol that names code and is near the range (see symbol_is_near()). Without
 * `with_names` the symbol's name extends to the end of the string table. Returns false at the end
 * or if the table is exhausted.
 */
bool symbol_table_next(struct symbol_table *table, struct cairn_range near, struct alias *symbol);

size_t symbol_table_step(const struct symbol_table *table);

enum { SYMBOL_TABLES_MAX = 2 }; /* .dynsym and .gnu_debugdata */

struct symbol_tables {
	struct symbol_table table[SYMBOL_TABLES_MAX];
	size_t count;
};

/* Add a table if it contains a code symbol. Returns the same statuses as symbol_table_open(). */
CAIRN_MUST_USE enum cairn_status symbol_tables_add(struct symbol_tables *tables,
                                                   struct cairn_bytes file,
                                                   enum aliases_table which,
                                                   struct cairn_fault *fault);

/*
 * Call `visit` for each symbol near the range until it returns false. Returns false if `visit` did
 * or a table is exhausted.
 */
bool symbol_tables_visit(const struct symbol_tables *tables, struct cairn_range near,
                         bool (*visit)(void *context, const struct alias *symbol), void *context);

/*
 * Add the symbols near any of the ranges, with their names. Returns false if memory is short or
 * names overlap more than linkers make them.
 */
bool symbol_tables_pick(struct symbol_tables *tables, const struct cairn_range *range, size_t count,
                        struct aliases *picked);

#endif
