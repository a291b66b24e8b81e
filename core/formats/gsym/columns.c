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
#include "leb.h"

uint32_t gsym_row_column(const struct gsym_block *columns, uint64_t offset)
{
	const uint8_t *at = columns->data.data, *end = at + columns->data.size;
	uint64_t rows = 0, left = offset, column = 0, advance = 0;

	for (at = leb_unsigned(at, end, &rows); at && rows > 0; rows--) {
		at = leb_unsigned(at, end, &advance);
		if (!at || advance > left)
			break;
		left -= advance;
		at = leb_unsigned(at, end, &column);
	}
	return at ? (uint32_t)column : 0;
}

uint32_t gsym_call_column(const struct gsym_block *columns, uint32_t call)
{
	const uint8_t *at = columns->data.data, *end = at + columns->data.size;
	uint64_t numbers = 0, column = 0;

	at = leb_unsigned(at, end, &numbers);
	/* two for each row, and those of the calls before; damage ends them */
	numbers = numbers < UINT32_MAX ? 2 * numbers + call : call;
	for (; at && numbers > 0; numbers--)
		at = leb_unsigned(at, end, &column);
	return at && leb_unsigned(at, end, &column) ? (uint32_t)column : 0;
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
