/* SPDX-License-Identifier: MIT */
/*
 * Looks up unwind rules in one .sframe section. cairn_rules_find() uses one of three ways:
 *
 *	cache        of rules by pc, for pcs that repeat; one or two comparisons
 *	row index    all rows in one sorted array (struct row_index), built after many lookups
 *	tables       searched in place, or through a sorted list of functions if there are several
 *	             tables or a table is not sorted
 *
 * Damage to a function affects only that function. Damage to a table affects this table and all
 * tables after it.
 */
#ifndef CAIRN_UNWIND_TABLES_SFRAME_RULES_H
#define CAIRN_UNWIND_TABLES_SFRAME_RULES_H

#include "formats/elf/elf.h"
#include "formats/sframe/sframe.h"

#include <cairn.h>

enum {
	RULES_CACHE = 512,        /* number of pairs of rules in the cache, a power of two */
	RULES_INDEX_AFTER = 4096, /* number of uncached lookups before the row index is built */
	/* maximum number of tables per section; a linker may emit one table per object file */
	RULES_TABLES_MAX = 1 << 20,
};

/*
 * A function of nonzero size from any table. The list is sorted by start, then by table and record.
 * If several functions have the same start, the last one is used.
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
	size_t table_count, table_capacity;
	uint64_t *starts; /* owned; `starts` of relocatable tables points into this array */
	/* reason why the list of tables ended early; its status is OK if the list is complete */
	struct cairn_fault walk;
	bool rebased;
	/* NULL until the list is built; until then, tables are searched in place */
	struct rules_function *functions;
	size_t function_count;
	/* the table's order has been verified, and the table is sorted */
	bool checked, sorted;
	struct row_index *flat;
	bool flat_tried;
	unsigned uncached;
	/* alternates between 0 and 1, to select the rule in a cache pair that is replaced next */
	unsigned turn;
	struct cairn_rule cache[RULES_CACHE][2]; /* unused if `end` is 0 */
};

/* Correct tables whose base address is wrong, using the link-time addresses [low, high) of code. */
void rules_correct_base(struct cairn_rules *rules, uint64_t low, uint64_t high);

/*
 * Find the function that begins at `start`, an address from a rule, and the table that contains it.
 */
bool rules_function(const struct cairn_rules *rules, uint64_t start,
                    const struct sframe_table **table, struct sframe_function *function);

/* Build the sorted list of functions from all tables. Leaves the rules unchanged on NO_MEMORY. */
enum cairn_status rules_list_functions(struct cairn_rules *rules);

/*
 * Stores each distinct rule of a section once, without its address range. A program has a few
 * hundred distinct rules.
 */

#define RULE_POOL_NONE UINT32_MAX

enum {
	/* maximum number of distinct rules, more than any real program has */
	RULE_POOL_MAX = 1 << 14,
};

struct rule_pool {
	struct cairn_rule *rules;
	uint32_t count, capacity;
	/*
	 * hash table with open addressing; a slot contains an index in `rules` + 1, or 0 if unused
	 */
	uint32_t *slots;
	uint32_t slot_count;
};

/*
 * Set *number to the index of an equal rule, which is added if needed, or to RULE_POOL_NONE if the
 * pool is full or too many hashes collide. Return false if allocation fails.
 */
bool rule_pool_add(struct rule_pool *shapes, const struct cairn_rule *rule, uint32_t *number);
void rule_pool_finish(struct rule_pool *shapes);

/*
 * All rows of a section in one sorted array, for frequent lookups. A row takes 12 bytes: its start,
 * the index of its rule in the rule pool, and its share of the page table, which leads to rows and
 * functions. Functions that this format cannot express (masked, damaged, without rows) are skipped
 * and looked up in their SFrame table. Functions may share rows, which the index would store
 * repeatedly. To limit its size, no index is built if there are more rows than the section could
 * contain.
 */

struct row_index;

void row_index_free(struct row_index *flat);

/*
 * Reads the .sframe section of any ELF file: linked files and memory images, files without section
 * headers, and relocatable files, whose relocations contain the function addresses. In a
 * relocatable file every section begins at 0. To distinguish their addresses, section n is placed
 * at n << 32 (see sframe_section_va()).
 */

struct sframe_section {
	struct cairn_bytes bytes;
	uint64_t address;
	uint32_t section; /* section index; 0 if the table was found through a segment */
};

/*
 * Find the SFrame table: a section that is named .sframe, or that has type SHT_GNU_SFRAME and
 * begins with the magic number. In a file without section headers, use the PT_GNU_SFRAME segment,
 * whose size is an upper bound for the table's. Return NOT_FOUND if the file has no table, or if
 * the table's bytes are not in this file (as in separate debug files).
 */
enum cairn_status sframe_section_find(const struct elf *elf, struct sframe_section *found);

/* Return the rules, ready for lookups, or NULL if allocation fails. Borrows the file's bytes. */
struct cairn_rules *sframe_section_rules(const struct elf *elf,
                                         const struct sframe_section *sframe);

static inline uint64_t sframe_section_va(uint32_t section, uint64_t offset)
{
	return (uint64_t)section << 32 | (offset & UINT32_MAX);
}

#endif
