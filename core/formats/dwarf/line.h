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
 * The three loops must run in this order, each to its end.
 */
#ifndef CAIRN_FORMATS_DWARF_LINE_H
#define CAIRN_FORMATS_DWARF_LINE_H

#include "dwarf.h"
#include "model/function.h"

enum { DWARF_LINE_FORMATS = 255 }; /* maximum number of fields per entry of a DWARF 5 table */

/* Iterator over the directory or file table. `format` describes the fields of DWARF 5 entries. */
struct dwarf_line_table {
	const uint8_t *at;
	uint64_t left;
	const uint8_t *format; /* pairs of LEB128 numbers, content type and form */
	unsigned formats;
};

struct dwarf_line_entry {
	/* path as an attribute value; get its string with dwarf_text() */
	struct dwarf_attribute path;
	uint64_t directory; /* files only: index in the directory table */
};

enum dwarf_row_kind {
	DWARF_ROW,
	DWARF_ROW_END,  /* end of a sequence; its address is the first one after the sequence */
	DWARF_ROW_FILE, /* not a row: the program has added a file to the table (before DWARF 5) */
};

struct dwarf_row {
	enum dwarf_row_kind kind;
	uint64_t va;
	uint64_t file;
	uint32_t line;
	uint32_t column;
	bool statement;
	bool prologue_end;
	/* some block of the current line has had a discriminator since the line last changed */
	bool discriminated;
	uint64_t sequence;             /* offset of the first opcode in the row's sequence */
	struct dwarf_line_entry added; /* file that DWARF_ROW_FILE adds */
};

struct dwarf_line {
	const struct dwarf_sections *sections;
	struct dwarf_unit unit; /* word and offset sizes for reading forms */
	uint64_t next;          /* offset of the next line number program */
	struct dwarf_line_table directories, files;

	const uint8_t *at, *end, *sequence;
	const uint8_t *lengths; /* operand counts of standard opcodes */
	uint8_t minimum, operations, range, base_opcode;
	int8_t base;
	bool statement, prologue_end; /* flags for the next row */
	/* value of `statement` at the start of a sequence (default_is_stmt) */
	bool first_statement;
	bool discriminated;      /* the current line has had a discriminator */
	bool next_discriminated; /* the next row will have a discriminator */

	uint64_t va, file, index;
	uint32_t row_line, row_column;
	struct cairn_fault fault; /* set if the program is damaged; the offset is in .debug_line */
};

CAIRN_MUST_USE enum cairn_status dwarf_open_line(const struct dwarf_sections *sections,
                                                 uint64_t offset, uint8_t address_size,
                                                 struct dwarf_line *line,
                                                 struct cairn_fault *fault);

/*
 * Read the next directory or file. The first one has number 0 in DWARF 5 and number 1 in older
 * versions.
 */
bool dwarf_next_directory(struct dwarf_line *line, struct dwarf_line_entry *entry);
bool dwarf_next_file(struct dwarf_line *line, struct dwarf_line_entry *entry);

/* Run the program up to the next row. Return false at the end or after damage. */
bool dwarf_next_row(struct dwarf_line *line, struct dwarf_row *row);

/* Rows of one sequence, at most one per address. */
struct dwarf_places {
	struct function_row *row; /* array of `room` elements, in which flags are not set */
	size_t count, room;
	uint64_t files;      /* number of files; rows with a larger file number get file 0 */
	uint32_t first_file; /* number to add to file numbers */
	/* store columns; otherwise columns are 0, and rows that differ only in them are merged */
	bool columns;
};

/*
 * Append the rows that dwarf_next_row() would return as DWARF_ROW. The last row at an address wins,
 * and a row that repeats the previous location is omitted. Stop if the array is full, or at an
 * opcode that only dwarf_next_row() can run; more rows may follow that opcode. After the first
 * call, dwarf_next_row() returns correct addresses, files and lines, and columns if `columns` is
 * set, but no correct flags.
 */
void dwarf_append_places(struct dwarf_line *line, struct dwarf_places *places);

/*
 * Skip the rows that dwarf_append_places() would append. Afterwards only addresses are correct
 * until the sequence ends. To get the other values of such a sequence, copy `line` at its start and
 * read it again with the copy.
 */
void dwarf_pass_places(struct dwarf_line *line);

#endif
