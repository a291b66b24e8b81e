/* SPDX-License-Identifier: MIT */
/*
 * Columns of source locations, for which GSYM has no place: a block of cairn's own, which only files of its cache have.
 *
 *	columns = rows:uleb (advance:uleb column:uleb)*rows column:uleb*
 *
 * A row holds up to the address of the next one; the first counts from the function's start.  After the rows comes the
 * column of each inlined call, in the order of the inline tree's nodes without its root.  Column 0 is not known, and so
 * is what a damaged block does not tell: the rest of an answer does not depend on it.
 */
#include "gsym.h"

uint32_t gsym_row_column(const struct gsym_block *columns, uint64_t offset)
{
	struct reader in = reader_open(columns->data, false);
	uint64_t rows = reader_uleb(&in), left = offset, column = 0;

	for (; rows > 0 && reader_ok(&in); rows--) {
		const uint64_t advance = reader_uleb(&in);
		if (advance > left)
			break;
		left -= advance;
		column = reader_uleb(&in);
	}
	return (uint32_t)column;
}

uint32_t gsym_call_column(const struct gsym_block *columns, uint32_t call)
{
	struct reader in = reader_open(columns->data, false);

	for (uint64_t rows = reader_uleb(&in); rows > 0 && reader_ok(&in); rows--) {
		reader_uleb(&in);
		reader_uleb(&in);
	}
	for (; call > 0 && reader_ok(&in); call--)
		reader_uleb(&in);
	return (uint32_t)reader_uleb(&in);
}

uint32_t gsym_call_number(const struct gsym_tree *tree, uint32_t at)
{
	struct gsym_nodes nodes;
	struct gsym_inline node;
	uint32_t number = 0;

	gsym_nodes_begin(&nodes, tree);
	while (gsym_next_node(&nodes, &node) && node.at != at)
		number++;
	return number > 0 ? number - 1 : 0;
}
