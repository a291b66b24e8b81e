/* SPDX-License-Identifier: MIT */
/*
 * Reads columns of source locations. GSYM cannot express them, so cairn adds a block type of its
 * own to the files of its cache.
 *
 *	columns = rows:uleb (advance:uleb column:uleb)*rows column:uleb*
 *
 * A row applies up to the address of the next row. The first advance is relative to the start of
 * the function. The rows are followed by the column of each inlined call, in the order of the nodes
 * of the inline tree without its root. Column 0 means unknown. Damage also yields 0, because the
 * rest of a lookup does not depend on columns.
 */
#include "columns.h"
#include "leb.h"

struct gsym_columns gsym_columns(const struct gsym_block *columns)
{
	struct gsym_columns c = { .at = columns->data.data, .end = columns->data.data };

	if (!c.at)
		return c;
	c.end += columns->data.size;
	c.at = leb_unsigned(c.at, c.end, &c.rows);
	return c;
}

bool gsym_next_call_column(struct gsym_columns *columns)
{
	columns->at =
		columns->at ? leb_unsigned(columns->at, columns->end, &columns->column) : NULL;
	return columns->at;
}

bool gsym_next_column_row(struct gsym_columns *columns)
{
	uint64_t advance = 0;

	if (!columns->at || columns->rows == 0)
		return false;
	columns->rows--;
	columns->at = leb_unsigned(columns->at, columns->end, &advance);
	if (advance > UINT64_MAX - columns->offset) {
		columns->at = NULL;
		advance = UINT64_MAX - columns->offset;
	}
	columns->offset += advance;
	return gsym_next_call_column(columns);
}

uint32_t gsym_row_column(const struct gsym_block *columns, uint64_t offset)
{
	struct gsym_columns c = gsym_columns(columns);
	uint64_t column = 0;

	while (gsym_next_column_row(&c) && c.offset <= offset)
		column = c.column;
	return c.at || c.offset > offset ? (uint32_t)column : 0;
}

uint32_t gsym_call_column(const struct gsym_block *columns, uint32_t call)
{
	const uint8_t *at = columns->data.data, *end = at + columns->data.size;
	uint64_t numbers = 0, column = 0;

	at = leb_unsigned(at, end, &numbers);
	/* skip two numbers per row and one per earlier call; damage ends the loop */
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
