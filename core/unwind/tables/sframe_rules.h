/* SPDX-License-Identifier: MIT */
/*
 * The unwind rules of one .sframe section. cairn_rules_find() has three ways to find a rule:
 *
 *	hot pcs      a cache of rules by pc; one or two compares
 *	often asked  row_index.h: all rows in one sorted array, made when it pays
 *	else         the tables in place; through a sorted list of functions (functions.c) when they
 *	             are several, unsorted, or lied about being sorted
 *
 * A damaged function affects only that function, a damaged table that table and all later ones.
 */
#ifndef CAIRN_UNWIND_TABLES_SFRAME_RULES_H
#define CAIRN_UNWIND_TABLES_SFRAME_RULES_H

#include <cairn.h>

#include "formats/sframe/sframe.h"

enum {
	RULES_CACHE = 512,        /* pairs of rules, a power of two */
	RULES_INDEX_AFTER = 4096, /* uncached lookups before the row index is built */
	/* maximum number of tables per section; a linker may leave one table per object file */
	RULES_TABLES_MAX = 1 << 20,
};

/*
 * A function of nonzero size from any table. Sorted by start, then table and record. If several
 * have the same start, the last one counts.
 */
struct rules_function {
	uint64_t start;
	uint32_t size;
	uint32_t table;
	uint32_t index;
};

struct row_index;

struct cairn_rules {
	struct cairn_bytes section;
	uint64_t address;
	struct sframe_table *tables;
	size_t table_count, table_room;
	uint64_t *starts;        /* owned; `starts` of relocatable tables point into it */
	struct cairn_fault walk; /* reason why the list of tables ended early, or status OK */
	bool rebased;
	struct rules_function *functions; /* NULL until built; tables are then searched in place */
	size_t function_count;
	/* whether the table's claim to be sorted was checked, and its result */
	bool checked, sorted;
	struct row_index *flat;
	bool flat_tried;
	unsigned uncached;
	unsigned turn;                           /* which rule of a pair is replaced next */
	struct cairn_rule cache[RULES_CACHE][2]; /* end == 0: unused */
};

/* Correct tables whose base is wrong, given the linked addresses [low, high) of code. */
void rules_correct_base(struct cairn_rules *rules, uint64_t low, uint64_t high);

size_t rules_count_functions(const struct cairn_rules *rules);

/* Find the function that begins at `start`, as a rule names it, and its table. */
bool rules_function(const struct cairn_rules *rules, uint64_t start,
                    const struct sframe_table **table, struct sframe_function *function);

/* Build the sorted list of functions of all tables. On NO_MEMORY the rules are unchanged. */
enum cairn_status rules_list_functions(struct cairn_rules *rules);

#endif
