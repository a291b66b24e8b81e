/* SPDX-License-Identifier: MIT */
/*
 * Reads the line table of a unit: its files with complete paths, and its rows by sequence, one per
 * address or all that a debugger can use. A sequence is a contiguous part of the program. Sequences
 * of discarded or folded code may overlap others.
 */
#ifndef CAIRN_DEBUGINFO_DWARF_LINES_H
#define CAIRN_DEBUGINFO_DWARF_LINES_H

#include "debuginfo/elf/string_store.h"
#include "debuginfo/elf/symbol_table.h"
#include "formats/dwarf/line.h"
#include "model/function.h"

struct lines_sequence {
	uint64_t low, high;
	uint64_t reach;      /* highest end of this and all previous sequences */
	uint64_t offset;     /* offset of the sequence's line program in .debug_line */
	size_t order;        /* index of the sequence in the line program */
	size_t first, count; /* rows of the sequence; count is 0 if they were skipped */
};

struct lines_source {
	const struct dwarf_sections *sections;
	const struct dwarf_unit *unit;
	const struct dwarf_bases *bases;
	const struct code_ranges *text; /* sequences outside are skipped */
	struct cairn_bytes comp_dir;
	struct string_store *texts;
};

/* State of the preceding row, for GDB's interpretation of the table. */
struct passed {
	bool any; /* false at the start of a sequence */
	bool statement;
	bool hides; /* GDB ignores the row after this one */
	uint64_t va, file;
	uint32_t line;
};

struct lines {
	struct budget *budget; /* set before the first table is read, like the options below */
	bool every_row;
	bool columns;
	bool relative; /* file names are relative to the compilation directory */
	/*
	 * Without `every_row`: ascending ranges of code whose rows are needed. A count of 0 means
	 * all code.
	 */
	const struct cairn_range *asked;
	size_t asked_count;
	struct function_file *file;
	size_t files, file_room;
	uint64_t file_set; /* changes with each table that is read */
	struct cairn_bytes *directory;
	size_t directories, directory_room;
	struct function_row *row;
	size_t rows, row_room;
	struct lines_sequence *sequence; /* ascending; sequences of equal start in program order */
	size_t sequences, sequence_room;
	size_t passed; /* number of sequences whose rows were skipped */
	struct passed before;
	struct function_row *cut; /* result buffer of lines_clip() */
	size_t cut_room;
	uint64_t bytes;           /* size of the line program */
	bool from_zero;           /* file numbers begin with 0 */
	struct cairn_fault fault; /* fault that ended reading; CAIRN_OK at the end */

	/* saved to read skipped rows later */
	struct lines_source source;
	struct dwarf_unit unit;
	struct dwarf_bases bases;
	uint64_t offset;
};

/*
 * Read the table at `offset`, replacing the previous one and reusing its memory. Damage ends the
 * rows and is reported in ->fault. Returns false if memory is short or the budget is exhausted.
 */
bool lines_read(struct lines *lines, const struct lines_source *source, uint64_t offset);

/* Read the same table again with all rows. Its sections and strings must still exist. */
void lines_clear(struct lines *lines);
void lines_finish(struct lines *lines);

/* Return our number for a file number of an attribute or row. */
uint32_t lines_file(const struct lines *lines, uint64_t number);

/* Selects among overlapping sequences. */
struct lines_hint {
	bool has_sequence;
	uint64_t sequence;   /* DW_AT_LLVM_stmt_sequence */
	uint32_t file, line; /* declaration of the function; line is 0 if unknown */
};

/*
 * Rows of a function, borrowed from the table if it has them in this form, otherwise
 * from lines->cut.
 */
struct lines_cut {
	const struct function_row *row;
	size_t count;
};

/*
 * Return rows that cover all of `range`, the first at its start. Gaps between sequences are rows
 * without file and line. There are no rows if no sequence touches the range. Valid until the next
 * call; with ->every_row they are in ->cut. Returns false if memory is short or the budget
 * is exhausted.
 */
bool lines_clip(struct lines *lines, struct cairn_range range, const struct lines_hint *hint,
                struct lines_cut *cut);

#endif
