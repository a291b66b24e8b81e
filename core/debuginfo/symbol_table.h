/* SPDX-License-Identifier: MIT */
/*
 * Reads the symbols of an ELF file that name code, chooses the best name at each address, and finds
 * the address ranges that contain instructions.
 */
#ifndef CAIRN_DEBUGINFO_SYMBOL_TABLE_H
#define CAIRN_DEBUGINFO_SYMBOL_TABLE_H

#include "formats/elf/elf.h"

#include <cairn.h>

/*
 * Collects the symbols that name code, and finds the best name of several symbols at one address.
 * Does not decide how far a symbol without a size extends, or whether an untyped symbol should
 * become a function.
 *
 *	struct aliases aliases = { .entry = NULL };
 *	if (!aliases_add(&aliases, (struct alias){ .va = va, .name = name }))
 *		... allocation failed
 *	aliases_sort(&aliases);
 *	const struct alias *best = aliases_best(&aliases, va, names, 2);
 */

struct alias {
	uint64_t va, size;
	struct cairn_bytes name; /* borrowed; without a version suffix (`@...`) */
	uint8_t binding, type;
};

struct aliases {
	struct alias *entry; /* sorted by va, then by preference */
	size_t count, capacity;
};

enum aliases_table {
	ALIASES_SYMTAB,
	ALIASES_DYNSYM,
};

/*
 * Add all named symbols of a table that are functions or are defined in a section with
 * instructions. Bit 0 in the addresses of ARM and MIPS functions is cleared, and function
 * descriptors in `.opd` are resolved. Names are borrowed from `file`. Returns NOT_FOUND if there is
 * no such table. Returns MALFORMED if names overlap more than in the output of any linker; the
 * symbols read until then are added. Fault offsets are relative to the start of the file.
 */
CAIRN_MUST_USE enum cairn_status aliases_read(struct aliases *aliases, struct cairn_bytes file,
                                              enum aliases_table table, struct cairn_fault *fault);

bool aliases_add(struct aliases *aliases, struct alias alias);

/* Sort the symbols, after the last addition and before the first lookup. */
void aliases_sort(struct aliases *aliases);
void aliases_finish(struct aliases *aliases);

/* Return the index of the first entry at or after `va`, or aliases->count. */
size_t aliases_at(const struct aliases *aliases, uint64_t va);

/*
 * Return the best symbol at `va`, or NULL. The order of preference is: global, weak or unique
 * before local; symbols with a size; one of the `count` names that DWARF gives the function; fewer
 * leading underscores; the shorter name; the bytewise smaller name.
 */
const struct alias *aliases_best(const struct aliases *aliases, uint64_t va,
                                 const struct cairn_bytes *named, size_t count);

/*
 * Compare two names of symbols at `va` in the order of aliases_best(). Returns a negative value if
 * `a` is better.
 */
int aliases_compare(const struct aliases *aliases, uint64_t va, struct cairn_bytes a,
                    struct cairn_bytes b);

/*
 * Iterates over the symbols of an ELF file that name code, in table order. Nothing is stored, so
 * looking up a few addresses does not require sorting the whole table.
 *
 *	struct symbol_table table;
 *	struct alias symbol;
 *	if (symbol_table_open(&table, file, ALIASES_SYMTAB, &fault) == CAIRN_OK)
 *		while (symbol_table_next(&table, (struct cairn_range){ va, va }, &symbol))
 *			... symbol.va, symbol.size
 */

struct symbol_table {
	struct elf elf;
	struct cairn_bytes entries, strings;
	struct elf_section opd; /* .opd section; type 0 means that it is missing */
	size_t at;
	uint64_t names_left;
	bool is_moved; /* addresses need conversion (Thumb bit, descriptors) */
	bool with_names;
	/* names overlap more than in the output of any linker, so reading has stopped */
	bool exhausted;
};

/*
 * Return true if the symbol starts inside the range or at its end, or if it starts before the range
 * and extends into it.
 */
static inline bool symbol_is_near(uint64_t va, uint64_t size, struct cairn_range near)
{
	return va <= near.high && (va >= near.low || size > near.low - va);
}

/*
 * Open a table. Returns NOT_FOUND if the file does not have this table. Fault offsets are relative
 * to the start of the file.
 */
CAIRN_MUST_USE enum cairn_status symbol_table_open(struct symbol_table *table,
                                                   struct cairn_bytes file,
                                                   enum aliases_table which,
                                                   struct cairn_fault *fault);

/*
 * Return the next symbol that names code and is near the range (see symbol_is_near()). Without
 * `with_names`, symbol->name extends to the end of the string table. Returns false at the end or
 * once table->exhausted is set.
 */
bool symbol_table_next(struct symbol_table *table, struct cairn_range near, struct alias *symbol);

size_t symbol_table_step(const struct symbol_table *table);

enum { SYMBOL_TABLES_MAX = 2 }; /* .dynsym and .gnu_debugdata */

struct symbol_tables {
	struct symbol_table table[SYMBOL_TABLES_MAX];
	size_t count;
};

/* Add a table if it contains a code symbol. Returns the status of symbol_table_open(). */
CAIRN_MUST_USE enum cairn_status symbol_tables_add(struct symbol_tables *tables,
                                                   struct cairn_bytes file,
                                                   enum aliases_table which,
                                                   struct cairn_fault *fault);

/*
 * Call `visit` for each symbol near the range (see symbol_is_near()) until `visit` returns false.
 * Returns false then, or if the names in a table overlap too much (see symbol_table.exhausted).
 */
bool symbol_tables_visit(const struct symbol_tables *tables, struct cairn_range near,
                         bool (*visit)(void *context, const struct alias *symbol), void *context);

/*
 * Add the symbols near any of the ranges, with their names. Returns false if allocation fails or
 * names overlap more than in the output of any linker.
 */
bool symbol_tables_pick(struct symbol_tables *tables, const struct cairn_range *range, size_t count,
                        struct aliases *picked);

struct code_ranges {
	struct cairn_range *range;
	size_t count, capacity;
};

/*
 * Read the ranges of sections with instructions. Without such sections, use the executable
 * segments; without these, use all addresses but 0. Returns false if allocation fails.
 */
bool code_ranges_read(struct code_ranges *spans, const struct elf *elf);
/*
 * Add each section with instructions, unmerged and in file order. Returns false if allocation
 * fails.
 */
bool code_ranges_add_sections(struct code_ranges *spans, const struct elf *elf);
void code_ranges_finish(struct code_ranges *spans);

const struct cairn_range *code_ranges_find(const struct code_ranges *spans, uint64_t va);

#endif
