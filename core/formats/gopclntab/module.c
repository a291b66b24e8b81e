/* SPDX-License-Identifier: MIT */
/*
 * Reads the fields of Go's moduledata that refer to a table. All are words:
 *
 *	1.16  header names*3 units*3 file-names*3 values*3 table*3 index*3 find low high text
 *	1.18  ... text end-text (begin end)*4 end gcdata gcbss types end-types rodata inline-trees
 *	1.20  ... text end-text (begin end)*5 end gcdata gcbss types end-types rodata inline-trees
 *	1.27  ... types descriptors:size end-types (tables:offset tables:size) rodata inline-trees
 *
 * Sizes and offsets are relative to the types, and are the only way to distinguish 1.27 from older
 * versions. A slice is an address, a length and a capacity.
 */
#include "gopclntab.h"

enum {
	WORD_NAMES = 1,
	WORD_UNITS = 4,
	WORD_INDEX = 16,
	WORD_TEXT = 22,
	WORD_TREES_1_18 = 38,
	WORD_TREES_1_20 = 40,
	WORD_TYPES = 37, /* since 1.20 */
	WORD_TREES_1_27 = 43,
};

static bool read_module_word(const struct gopclntab *table, uint64_t va, unsigned number,
                             uint64_t *word)
{
	const struct gopclntab_memory *memory = table->memory;

	return memory->read_word(memory->context, va + (uint64_t)number * table->word, word);
}

static bool points_to(const struct gopclntab *table, uint64_t va, unsigned number,
                      struct cairn_bytes part)
{
	uint64_t word;

	return read_module_word(table, va, number, &word) &&
	       word == table->va + (uint64_t)(part.data - table->bytes.data);
}

/*
 * Return true if the words after the address of the types are sizes, as in 1.27. Up to 1.26, two of
 * these words are addresses.
 */
static bool has_sizes_of_types(const struct gopclntab *table, uint64_t va)
{
	uint64_t types, descriptors, end, tables, size;

	return read_module_word(table, va, WORD_TYPES, &types) &&
	       read_module_word(table, va, WORD_TYPES + 1, &descriptors) &&
	       read_module_word(table, va, WORD_TYPES + 2, &end) &&
	       read_module_word(table, va, WORD_TYPES + 3, &tables) &&
	       read_module_word(table, va, WORD_TYPES + 4, &size) && end > types &&
	       descriptors <= end - types && tables <= end - types && size <= end - types - tables;
}

static unsigned find_trees_word(const struct gopclntab *table, uint64_t va)
{
	if (table->layout == GOPCLNTAB_1_18)
		return WORD_TREES_1_18;
	return has_sizes_of_types(table, va) ? WORD_TREES_1_27 : WORD_TREES_1_20;
}

bool gopclntab_read_module(const struct gopclntab *table, uint64_t va, uint64_t *text,
                           uint64_t *inline_trees)
{
	*text = *inline_trees = 0;
	if (!table->memory || !table->memory->read_word || table->layout == GOPCLNTAB_1_2 ||
	    !points_to(table, va, 0, table->bytes) ||
	    !points_to(table, va, WORD_NAMES, table->names) ||
	    !points_to(table, va, WORD_UNITS, table->units) ||
	    !points_to(table, va, WORD_INDEX, table->index) ||
	    !read_module_word(table, va, WORD_TEXT, text))
		return false;
	return table->layout < GOPCLNTAB_1_18 ||
	       read_module_word(table, va, find_trees_word(table, va), inline_trees);
}
