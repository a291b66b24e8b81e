/* SPDX-License-Identifier: MIT */
/*
 * Reads the line table of a unit: its files with complete paths, and its rows grouped by sequence.
 * Keeps either one row per address or every row that a debugger can use. A sequence covers a
 * contiguous range of code. Sequences for discarded or folded code may overlap others.
 */
#ifndef CAIRN_DEBUGINFO_LINES_H
#define CAIRN_DEBUGINFO_LINES_H

#include "base/function.h"
#include "debuginfo/string_store.h"
#include "debuginfo/symbol_table.h"
#include "formats/dwarf/line.h"

struct lines_sequence {
	uint64_t low, high;
	uint64_t reach;  /* highest end of this and all previous sequences */
	uint64_t offset; /* offset of the sequence's line program in .debug_line */
	size_t order;
	size_t first, count; /* range of rows in lines.row; count is 0 if the rows were skipped */
};

struct lines_source {
	const struct dwarf_sections *sections;
	const struct dwarf_unit *unit;
	const struct dwarf_bases *bases;
	const struct code_ranges *text; /* executable code; sequences outside it are skipped */
	struct cairn_bytes comp_dir;
	struct string_store *texts;
};

/* The preceding row, needed to skip the same rows as GDB. */
struct passed {
	bool any;
	bool statement;
	bool hides;
	uint64_t va, file;
	uint32_t line;
};

struct lines {
	struct budget *budget; /* set this and the options below before reading the first table */
	bool every_row;
	bool columns;
	bool relative; /* keep file names relative to the compilation directory */
	/*
	 * Code whose rows are needed, as ascending ranges; a count of 0 means all code. Ignored
	 * with `every_row`.
	 */
	const struct cairn_range *asked;
	size_t asked_count;
	struct function_file *file;
	size_t files, file_capacity;
	/* serial number of the current table; changes with each table that is read */
	uint64_t file_set;
	struct cairn_bytes *directory;
	size_t directories, directory_capacity;
	struct function_row *row;
	size_t rows, row_capacity;
	struct lines_sequence *sequence;
	size_t sequences, sequence_capacity;
	size_t passed;
	struct passed before;
	struct function_row *cut;
	size_t cut_capacity;
	uint64_t bytes;
	bool from_zero;           /* file numbers start at 0 (DWARF 5), not 1 */
	struct cairn_fault fault; /* reason why reading ended; CAIRN_OK at the end of the table */

	/* parameters of lines_read(), kept to read skipped rows later */
	struct lines_source source;
	struct dwarf_unit unit;
	struct dwarf_bases bases;
	uint64_t offset;
};

/*
 * Read the table at `offset`, replacing the previous one and reusing its memory. Reading ends at
 * the first damage, which is reported in ->fault. Returns false if allocation fails or the budget
 * is exhausted.
 */
bool lines_read(struct lines *lines, const struct lines_source *source, uint64_t offset);

void lines_clear(struct lines *lines);
void lines_finish(struct lines *lines);

/*
 * Return the index in lines->file for a file number from an attribute or row, or 0 if the number is
 * invalid.
 */
uint32_t lines_file(const struct lines *lines, uint64_t number);

struct lines_hint {
	bool has_sequence;
	uint64_t sequence;
	uint32_t file, line; /* declaration of the function; line is 0 if unknown */
};

/*
 * Rows of a function, borrowed from the table if it contains exactly these rows, otherwise from
 * lines->cut.
 */
struct lines_cut {
	const struct function_row *row;
	size_t count;
};

/*
 * Return rows that cover all of `range`; the first row is at the start of the range. Gaps between
 * sequences become rows without file and line. *cut is empty if no sequence overlaps the range. The
 * rows are valid until the next call; with ->every_row they are in lines->cut. Returns false if
 * allocation fails or the budget is exhausted.
 */
bool lines_clip(struct lines *lines, struct cairn_range range, const struct lines_hint *hint,
                struct lines_cut *cut);

#endif
