/* SPDX-License-Identifier: MIT */
/* The block of columns that files of cairn's own cache have. */
#ifndef CAIRN_FORMATS_GSYM_COLUMNS_H
#define CAIRN_FORMATS_GSYM_COLUMNS_H

#include "gsym.h"

/* The column of the code at an offset from the function's start, and of an inlined call by its number; 0: not known. */
uint32_t gsym_row_column(const struct gsym_block *columns, uint64_t offset);
uint32_t gsym_call_column(const struct gsym_block *columns, uint32_t call);

/*
 * The columns one after the other: rows, each with the offset from which on it holds, then those of the inlined calls,
 * which are read with `rows` at 0.  False: there are no more rows, or the block is cut off, so that `at` is NULL.
 */
struct gsym_columns {
	const uint8_t *at, *end;
	uint64_t rows, offset, column;
};
struct gsym_columns gsym_columns(const struct gsym_block *columns);
bool gsym_next_column_row(struct gsym_columns *columns);
bool gsym_next_call_column(struct gsym_columns *columns);

/* The number of the call whose node is at `at`: how many calls are before it in the tree. */
uint32_t gsym_call_number(const struct gsym_tree *tree, uint32_t at);

#endif
