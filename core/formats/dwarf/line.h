/* SPDX-License-Identifier: MIT */
/*
 * Runs line number programs of DWARF 2 to 5: tables of directories and files, and rows. Row flags
 * that do not affect where debuggers set breakpoints are ignored. Directories and file names are
 * not joined.
 *
 *	struct dwarf_line line;
 *	if (dwarf_open_line(&sections, offset, address_size, &line, &fault) != CAIRN_OK)
 *		...
 *	while (dwarf_next_directory(&line, &entry))
 *		...
 *	while (dwarf_next_file(&line, &entry))
 *		...
 *	while (dwarf_next_row(&line, &row))
 *		...
 *
 * Run all three loops to their end, in this order.
 */
#ifndef CAIRN_FORMATS_DWARF_LINE_H
#define CAIRN_FORMATS_DWARF_LINE_H

#include "base/function.h"
#include "dwarf.h"

enum { DWARF_LINE_FORMATS = 255 }; /* maximum number of fields per entry in a DWARF 5 table */

/* Iterator over the directory or file table. `format` describes the fields of DWARF 5 entries. */
struct dwarf_line_table {
	const uint8_t *at;
	uint64_t left;
	const uint8_t *format; /* LEB128 pairs of content type and form, one per field */
	unsigned formats;
};

struct dwarf_line_entry {
	/* pass this to dwarf_text() to get the string */
	struct dwarf_attribute path;
	uint64_t directory; /* directory index; files only */
};

enum dwarf_row_kind {
	DWARF_ROW,
	DWARF_ROW_END,  /* end of a sequence; `va` is the first address after it */
	DWARF_ROW_FILE, /* the program has added a file to the table; only before DWARF 5 */
};

struct dwarf_row {
	enum dwarf_row_kind kind;
	uint64_t va;
	uint64_t file;
	uint32_t line;
	uint32_t column;
	bool statement;
	bool prologue_end;
	/* this row, or an earlier row of the same line, has a discriminator */
	bool discriminated;
	uint64_t sequence;             /* offset in .debug_line of the sequence's first opcode */
	struct dwarf_line_entry added; /* set only for DWARF_ROW_FILE */
};

struct dwarf_line {
	const struct dwarf_sections *sections;
	/* unit in which only the version and the sizes required for reading forms are set */
	struct dwarf_unit unit;
	uint64_t next; /* offset of the next line number program */
	struct dwarf_line_table directories, files;

	const uint8_t *at, *end, *sequence;
	const uint8_t *lengths; /* operand counts of the standard opcodes */
	uint8_t minimum, operations, range, base_opcode;
	int8_t base;
	bool statement, prologue_end; /* flags of the next row */
	/* default_is_stmt: value of `statement` at the start of a sequence */
	bool first_statement;
	bool discriminated; /* value for the next row */
	/* the discriminator has been set to a nonzero value since the last row */
	bool next_discriminated;

	uint64_t va, file, index;
	uint32_t row_line, row_column;
	struct cairn_fault fault;
};

CAIRN_MUST_USE enum cairn_status dwarf_open_line(const struct dwarf_sections *sections,
                                                 uint64_t offset, uint8_t address_size,
                                                 struct dwarf_line *line,
                                                 struct cairn_fault *fault);

/*
 * Read the next directory or file. Their indices start at 0 in DWARF 5 and at 1 in older versions.
 */
bool dwarf_next_directory(struct dwarf_line *line, struct dwarf_line_entry *entry);
bool dwarf_next_file(struct dwarf_line *line, struct dwarf_line_entry *entry);

/* Run the program up to the next row. Return false at the end or after damage. */
bool dwarf_next_row(struct dwarf_line *line, struct dwarf_row *row);

/* Rows of one sequence, at most one per address. */
struct dwarf_places {
	struct function_row
		*row; /* array of `capacity` elements; the flags in the rows are not set */
	size_t count, capacity;
	/* file numbers from this one on are invalid and replaced with 0 */
	uint64_t files;
	/*
	 * number added to valid file numbers: 1 in DWARF 5, where they start at 0, because 0 in a
	 * row means an unknown file
	 */
	uint32_t first_file;
	/*
	 * store columns; otherwise columns are 0, and rows that differ only in the column are
	 * merged
	 */
	bool columns;
};

/*
 * Append the rows that dwarf_next_row() would return as DWARF_ROW. A row replaces an earlier one at
 * the same address, and is omitted if it repeats the location of the row before. Stop if the array
 * is full, or at an opcode that only dwarf_next_row() can run; more rows may follow that opcode.
 * After the first call, dwarf_next_row() returns wrong flags, and wrong columns unless `columns` is
 * set.
 */
void dwarf_append_places(struct dwarf_line *line, struct dwarf_places *places);

/*
 * Skip the rows that dwarf_append_places() would append. Until the sequence ends, only addresses
 * are correct afterwards. To get the other registers too, copy `line` at the start of the sequence
 * and run the copy.
 */
void dwarf_pass_places(struct dwarf_line *line);

#endif
