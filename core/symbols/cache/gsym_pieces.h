/* SPDX-License-Identifier: MIT */
/* A function while it is decoded: rows and ranges, and the pieces that its code is cut into. */
#ifndef CAIRN_SYMBOLS_CACHE_GSYM_PIECES_H
#define CAIRN_SYMBOLS_CACHE_GSYM_PIECES_H

#include "gsym_decode.h"

/* A range of a node, as offsets from the function's start. */
struct gsym_pieces_range {
	uint32_t low, high, node;
};

struct gsym_pieces_row {
	uint32_t start, file, line;
};

/* From `start` on the code has this column. */
struct gsym_pieces_column {
	uint32_t start, column;
};

struct gsym_pieces {
	const struct gsym *gsym;
	const struct gsym_function *function;
	struct gsym_block lines, inlines, columns;
	bool has_folded;
	size_t rows, nodes, spans, column_rows, pieces;
	struct gsym_pieces_row *row;
	struct decoded_node *node;
	struct gsym_pieces_range *span;
	struct gsym_pieces_column *column_row;
	uint32_t *cut, *spare, *start;
	struct decoded_piece *piece;
	uint32_t *column, *call_column; /* of each piece and node; NULL: there are none */
};

/* Makes pieces of rows, nodes and spans; false when that is too much work. */
bool gsym_pieces_make(struct gsym_pieces *work);

#endif
