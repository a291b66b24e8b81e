/* SPDX-License-Identifier: MIT */
/*
 * The symbols of a program that name code, for questions about addresses.  At first the tables are read for each
 * question, which is the fastest way to a few answers; whoever has many questions has all symbols sorted.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_SYMBOL_SET_H
#define CAIRN_DEBUGINFO_LOOKUP_SYMBOL_SET_H

#include "debuginfo/elf/symbol_table.h"

struct symbol_set {
	struct symbol_tables tables;
	struct symbol_set_table {
		struct cairn_bytes file;
		enum aliases_table which;
	} table[SYMBOL_TABLES_MAX]; /* the same tables, to be read whole */
	size_t table_count;
	void *unpacked;         /* the file in .gnu_debugdata */
	struct aliases aliases; /* sorted: those that were picked, or all of them */
	uint64_t *reach; /* how far symbols up to this one go; NULL: not all of them are there */
};

/*
 * The tables of a program: .symtab of its own file, else of its debug file, else what the dynamic linker has and
 * .gnu_debugdata.  The files are borrowed.  False: memory is short.
 */
bool symbol_set_open(struct symbol_set *set, struct cairn_bytes own, struct cairn_bytes debug);
void symbol_set_close(struct symbol_set *set);

/* From then on all symbols are in ->aliases.  False: memory is short, and nothing has changed. */
bool symbol_set_sort(struct symbol_set *set);

/* As symbol_tables_visit(), in any order. */
bool symbol_set_visit(const struct symbol_set *set, struct cairn_range near,
                      bool (*visit)(void *context, const struct alias *symbol), void *context);

/* The same for the symbols that hold the address, at least the one before and the one after it, and maybe all others. */
bool symbol_set_look_around(const struct symbol_set *set, uint64_t va,
                            bool (*visit)(void *context, const struct alias *symbol),
                            void *context);

/* Puts the symbols near the ranges into ->aliases, in place of others, unless all are there.  As symbol_tables_pick(). */
bool symbol_set_pick(struct symbol_set *set, const struct cairn_range *range, size_t count);

/* Adds the symbols near another range, in one pass over the tables. */
bool symbol_set_pick_more(struct symbol_set *set, struct cairn_range range);

/* The part of ->aliases with all symbols near the range; borrowed. */
struct aliases symbol_set_near(const struct symbol_set *set, struct cairn_range range);

/* Bytes that it holds. */
uint64_t symbol_set_memory(const struct symbol_set *set);

#endif
