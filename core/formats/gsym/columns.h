/* SPDX-License-Identifier: MIT */
/* The block of column numbers in GSYM files of cairn's own cache. */
#ifndef CAIRN_FORMATS_GSYM_COLUMNS_H
#define CAIRN_FORMATS_GSYM_COLUMNS_H

#include "gsym.h"

/*
 * Return the column of the code at `offset` from the start of the function, or of the inlined call
 * with number `call`. Return 0 if it is unknown.
 */
uint32_t gsym_row_column(const struct gsym_block *columns, uint64_t offset);
uint32_t gsym_call_column(const struct gsym_block *columns, uint32_t call);

/*
 * Iterator over the block: first the rows, each with the offset from which it applies, then, once
 * `rows` is 0, the columns of the inlined calls. The functions return false after the last row, or
 * if the block is truncated, in which case `at` is NULL.
 */
struct gsym_columns {
	const uint8_t *at, *end;
	uint64_t rows, offset, column;
};
struct gsym_columns gsym_columns(const struct gsym_block *columns);
bool gsym_next_column_row(struct gsym_columns *columns);
bool gsym_next_call_column(struct gsym_columns *columns);

/*
 * Return the number of calls that precede the node at `at` in the tree, which is the number of its
 * call.
 */
uint32_t gsym_call_number(const struct gsym_tree *tree, uint32_t at);

#endif
