/* SPDX-License-Identifier: MIT */
/*
 * The unwind rules of one .sframe section after cairn_rules_find(): three ways to the answer.
 *
 *	hot pcs      a cache of rules by pc; one or two compares
 *	often asked  row_index.h: all rows in one sorted array, made when it pays
 *	else         the tables in place; through a sorted list of functions (functions.c) when they
 *	             are several, unsorted, or lied about being sorted
 *
 * A damaged function costs that function, a damaged table that table and those after it.
 */
#ifndef CAIRN_UNWIND_SFRAME_RULES_H
#define CAIRN_UNWIND_SFRAME_RULES_H

#include <cairn.h>

#include "formats/sframe/sframe.h"

enum {
	RULES_CACHE = 512,          /* pairs of rules, a power of two */
	RULES_INDEX_AFTER = 4096,   /* uncached lookups before the flat index is made */
	RULES_TABLES_MAX = 1 << 20, /* in one section: one for each object file at the most */
};

/*
 * One function of any table that is not empty, in ascending order of start, then of table and
 * record.  Of several with one start the last counts.
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
	uint64_t *starts; /* owned: what relocatable tables' starts point into */
	struct cairn_fault
		walk; /* why the walk over the tables ended early; status OK if it did not */
	bool rebased; /* a table's base was put right by sframe_correct_base() */
	struct rules_function *functions; /* NULL: not made, search in place */
	size_t function_count;
	bool checked, sorted; /* the claim of being sorted: was it looked at, is it true */
	struct row_index *flat;
	bool flat_tried;
	unsigned uncached;
	unsigned turn;                           /* which of a pair is given up next */
	struct cairn_rule cache[RULES_CACHE][2]; /* end == 0: empty */
};

/* See cairn.h for cairn_rules_new, cairn_rules_free and cairn_rules_find. */

/* Tell where code is, [low, high) as linked, so that a wrong base is noticed. */
void rules_correct_base(struct cairn_rules *rules, uint64_t low, uint64_t high);

/* How many functions the tables have. */
size_t rules_count_functions(const struct cairn_rules *rules);

/* The function that begins at `start`, as a rule names it, and its table. */
bool rules_function(const struct cairn_rules *rules, uint64_t start,
                    const struct sframe_table **table, struct sframe_function *function);

/* The list of functions over all tables, sorted.  NO_MEMORY leaves the rules as they were. */
enum cairn_status rules_list_functions(struct cairn_rules *rules);

#endif
