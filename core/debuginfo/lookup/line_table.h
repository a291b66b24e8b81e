/* SPDX-License-Identifier: MIT */
/*
 * One line table, searched by address.  Rows are not kept: a byte of a line program may be a row, and
 * a row would take 24 bytes.  Every LINE_TABLE_STEP rows the state of the program is, and a lookup
 * runs the program from there.
 *
 *	struct line_table table;
 *	if (!line_table_read(&table, &sections, offset, address_size, comp_dir, &budget))
 *		...                           memory is short, or the budget used up
 *	if (line_table_find(&table, va, &budget, &row))
 *		text = line_files_path(&table.files, row.file, &texts);
 *	line_table_finish(&table);
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_LINE_TABLE_H
#define CAIRN_DEBUGINFO_LOOKUP_LINE_TABLE_H

#include "line_files.h"

enum {
	LINE_TABLE_STEP = 64, /* rows from one mark to the next */
	/* Bytes of a program that a lookup runs without drawing from the budget; 64 rows of a compiler
	 * take less than 1 kB. */
	LINE_TABLE_FREE = 4096,
	LINE_TABLE_SEQUENCES = 64, /* that are tried for one address; folded code has a few */
};

/* The state of the program just after a row. */
struct line_mark {
	uint64_t va, file;
	uint64_t at; /* the next opcode, in .debug_line */
	uint32_t line, column;
	uint64_t index;
};

/* Rows whose addresses ascend, up to `high`. */
struct line_sequence {
	uint64_t low, high;
	size_t first, count; /* its marks; the first is at its first row */
};

struct line_table {
	struct dwarf_line program; /* before its first row */
	struct line_files files;
	struct line_mark *mark;
	size_t marks, mark_room;
	struct line_sequence *sequence; /* ascending by `high` */
	size_t sequences, sequence_room;
};

/*
 * The table at an offset of sections->line, which must outlive it.  A damaged table ends at the
 * damage; where there is none, nothing is found.  False when memory is short, or the budget used up.
 */
bool line_table_read(struct line_table *table, const struct dwarf_sections *sections,
                     uint64_t offset, uint8_t address_size, struct cairn_bytes comp_dir,
                     struct budget *budget);
void line_table_finish(struct line_table *table);

/* The last row at or below `va` of a sequence that holds it; false when there is none. */
bool line_table_find(const struct line_table *table, uint64_t va, struct budget *budget,
                     struct dwarf_row *row);

#endif
