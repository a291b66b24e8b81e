/* SPDX-License-Identifier: MIT */
/*
 * The symbols of an ELF file that name code, one after the other, as they are in its tables. Nothing is kept of them: a
 * few addresses are answered from the few symbols around them.
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
	struct elf_section opd; /* type 0: there is none */
	size_t at;              /* of the entry that is read next */
	uint64_t names_left;    /* bytes that names may still have */
	bool is_moved;          /* the code is not always where a symbol says */
	bool with_names;        /* names are read, and symbols without one are left out */
	bool exhausted;         /* names share more text than linkers do */
};

/* Does it begin in the range, its end included, or reach into it from before? */
static inline bool symbol_is_near(uint64_t va, uint64_t size, struct cairn_range near)
{
	return va <= near.high && (va >= near.low || size > near.low - va);
}

/* NOT_FOUND: there is no such table. A fault's offset is one in the file. */
CAIRN_MUST_USE enum cairn_status symbol_table_open(struct symbol_table *table,
                                                   struct cairn_bytes file,
                                                   enum aliases_table which,
                                                   struct cairn_fault *fault);

/*
 * The next symbol that names code and begins in the range, its end included, or reaches into it from before. Without
 * `with_names` its name is all text from there on. False: it was the last one, or the table is exhausted.
 */
bool symbol_table_next(struct symbol_table *table, struct cairn_range near, struct alias *symbol);

/* Bytes of an entry. */
size_t symbol_table_step(const struct symbol_table *table);

enum { SYMBOL_TABLES_MAX = 2 }; /* .dynsym and .gnu_debugdata */

/* The tables of one program. */
struct symbol_tables {
	struct symbol_table table[SYMBOL_TABLES_MAX];
	size_t count;
};

/* One more, if it has a symbol of code. As symbol_table_open(). */
CAIRN_MUST_USE enum cairn_status symbol_tables_add(struct symbol_tables *tables,
                                                   struct cairn_bytes file,
                                                   enum aliases_table which,
                                                   struct cairn_fault *fault);

/*
 * Calls `visit` for each symbol that symbol_table_next() gives for the range, until it returns false. False: `visit`
 * did, or a table is exhausted.
 */
bool symbol_tables_visit(const struct symbol_tables *tables, struct cairn_range near,
                         bool (*visit)(void *context, const struct alias *symbol), void *context);

/*
 * Adds the symbols that begin in one of the ranges, its end included, and those that reach into it from before, with
 * their names. False: memory is short, or names share more text than linkers do.
 */
bool symbol_tables_pick(struct symbol_tables *tables, const struct cairn_range *range, size_t count,
                        struct aliases *picked);

#endif
