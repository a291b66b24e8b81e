/* SPDX-License-Identifier: MIT */
/*
 * The unwind rules of one .sframe section. cairn_rules_find() has three ways to find a rule:
 *
 *	hot pcs      a cache of rules by pc; one or two compares
 *	often asked  struct row_index: all rows in one sorted array, made when it pays
 *	else         the tables in place; through a sorted list of functions when they
 *	             are several, unsorted, or lied about being sorted
 *
 * A damaged function affects only that function, a damaged table that table and all later ones.
 */
#ifndef CAIRN_UNWIND_TABLES_SFRAME_RULES_H
#define CAIRN_UNWIND_TABLES_SFRAME_RULES_H

#include "formats/elf/elf.h"
#include "formats/sframe/sframe.h"

#include <cairn.h>

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

/* Find the function that begins at `start`, as a rule names it, and its table. */
bool rules_function(const struct cairn_rules *rules, uint64_t start,
                    const struct sframe_table **table, struct sframe_function *function);

/* Build the sorted list of functions of all tables. On NO_MEMORY the rules are unchanged. */
enum cairn_status rules_list_functions(struct cairn_rules *rules);

/*
 * The distinct rules of a section, regardless of their address ranges. A program has a few hundred.
 */

#define RULE_POOL_NONE UINT32_MAX

enum {
	/* maximum number of distinct rules; more than any real program has */
	RULE_POOL_MAX = 1 << 14,
};

struct rule_pool {
	struct cairn_rule *rules;
	uint32_t count, room;
	uint32_t *slots; /* open addressing over `rules`: number + 1, 0 if unused */
	uint32_t slot_count;
};

/*
 * Set *number to the index of an equal rule, adding it if needed, or to RULE_POOL_NONE if there are
 * too many rules or too many hash collisions. Return false if memory is short.
 */
bool rule_pool_add(struct rule_pool *shapes, const struct cairn_rule *rule, uint32_t *number);
void rule_pool_finish(struct rule_pool *shapes);

/*
 * All rows of a section in one sorted array, for frequent lookups. A row takes 12 bytes: its start,
 * the number of its rule among the few distinct ones, and a share of the page table that leads to
 * rows and functions. Functions that do not fit this form (masked, damaged, without rows) are left
 * out and looked up in their table.
 *
 * The section bounds the size: functions may share rows, which would then be counted repeatedly, so
 * there is no index if rows outnumber the bytes that could hold them.
 */

struct row_index;

/*
 * Build the index from the list of functions, which must exist. Return NULL if it would not fit or
 * memory is short.
 */
void row_index_free(struct row_index *flat);

/*
 * Reads the .sframe of any ELF file: linked files and images, files without section headers, and
 * relocatable files, whose relocations state the function addresses.
 *
 * In a relocatable file every section begins at 0. To distinguish their addresses, section n is
 * assumed to be at n << 32; sframe_section_va() forms such an address.
 */

struct sframe_section {
	struct cairn_bytes bytes;
	uint64_t address;
	uint32_t section; /* 0 if found through a segment */
};

/*
 * Find the table: a section named .sframe, a section of its type that begins with the magic number,
 * or the segment, whose size is an upper bound. Return NOT_FOUND if the file has no table, or if
 * its bytes are not in this file (as in separate debug files).
 */
enum cairn_status sframe_section_find(const struct elf *elf, struct sframe_section *found);

/*
 * Return the rules, ready for lookups, or NULL if memory is short. The file's bytes are borrowed.
 */
struct cairn_rules *sframe_section_rules(const struct elf *elf,
                                         const struct sframe_section *sframe);

static inline uint64_t sframe_section_va(uint32_t section, uint64_t offset)
{
	return (uint64_t)section << 32 | (offset & UINT32_MAX);
}

#endif
