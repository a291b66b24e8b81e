/* SPDX-License-Identifier: MIT */
/* Reads the rows of a line number program in batches where it can, one at a time as dwarf_next_row() gives them. */
#ifndef CAIRN_TESTS_ROW_BATCHES_H
#define CAIRN_TESTS_ROW_BATCHES_H

#include "formats/dwarf/line.h"

enum { ROW_BATCH = 3 }; /* few, so that batches end in the middle of a program */

struct row_batches {
	struct dwarf_line line;
	struct dwarf_plain_row rows[ROW_BATCH];
	size_t count, at;
};

static inline bool row_batches_next(struct row_batches *b, struct dwarf_row *row)
{
	if (b->at == b->count) {
		b->count = dwarf_plain_rows(&b->line, b->rows, ROW_BATCH);
		b->at = 0;
	}
	if (b->count == 0)
		return dwarf_next_row(&b->line, row);
	const struct dwarf_plain_row *plain = &b->rows[b->at++];
	*row = (struct dwarf_row){ .kind = DWARF_ROW,
		                   .va = plain->va,
		                   .file = plain->file,
		                   .line = plain->line,
		                   .statement = plain->statement,
		                   .prologue_end = plain->prologue_end,
		                   .discriminated = plain->discriminated };
	return true;
}

/* In what a batch knows. */
static inline bool row_batches_agree(const struct dwarf_row *a, const struct dwarf_row *b)
{
	return a->kind == b->kind && a->va == b->va && a->file == b->file && a->line == b->line &&
	       a->statement == b->statement && a->prologue_end == b->prologue_end &&
	       a->discriminated == b->discriminated;
}

#endif
