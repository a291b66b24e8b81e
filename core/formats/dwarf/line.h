/* SPDX-License-Identifier: MIT */
/*
 * Line number programs of DWARF 2 to 5: the tables of directories and files, and the rows.  Flags
 * that debuggers do not stop by are passed over.  Paths are not joined here.
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
 * The three loops are run in this order, each to its end.
 */
#ifndef CAIRN_FORMATS_DWARF_LINE_H
#define CAIRN_FORMATS_DWARF_LINE_H

#include "formats/dwarf/dwarf.h"
#include "model/function.h"

enum { DWARF_LINE_FORMATS = 255 }; /* an entry of DWARF 5 has at most so many parts */

/* How the entries of a table are written (DWARF 5). */
struct dwarf_line_table {
	const uint8_t *at;
	uint64_t left;         /* entries to come */
	const uint8_t *format; /* pairs of LEB128 numbers */
	unsigned formats;
};

struct dwarf_line_entry {
	struct dwarf_attribute path; /* for dwarf_text() */
	uint64_t directory;          /* of a file: as its table numbers them */
};

enum dwarf_row_kind {
	DWARF_ROW,
	DWARF_ROW_END,  /* ends the sequence: its address is the first after it */
	DWARF_ROW_FILE, /* not a row: a file was added to the table (before DWARF 5) */
};

struct dwarf_row {
	enum dwarf_row_kind kind;
	uint64_t va;
	uint64_t file;
	uint32_t line;
	uint32_t column;
	bool statement;                /* one begins here */
	bool prologue_end;             /* of the function that the row is in */
	bool discriminated;            /* since its line came, a block of it had a discriminator */
	uint64_t sequence;             /* offset where the sequence's program begins */
	struct dwarf_line_entry added; /* with DWARF_ROW_FILE */
};

struct dwarf_line {
	const struct dwarf_sections *sections;
	struct dwarf_unit unit; /* the sizes of words, for forms */
	uint64_t next;          /* offset after this table */
	struct dwarf_line_table directories, files;

	const uint8_t *at, *end, *sequence;
	const uint8_t *lengths; /* of standard opcodes */
	uint8_t minimum, operations, range, base_opcode;
	int8_t base;
	bool statement, prologue_end; /* of the next row */
	bool first_statement;         /* of the first one of a sequence */
	bool discriminated;           /* the line, since it came */
	bool next_discriminated;      /* the next row */

	uint64_t va, file, index;
	uint32_t row_line, row_column;
	struct cairn_fault fault; /* where the program broke off, in .debug_line */
};

CAIRN_MUST_USE enum cairn_status dwarf_open_line(const struct dwarf_sections *sections,
                                                 uint64_t offset, uint8_t address_size,
                                                 struct dwarf_line *line,
                                                 struct cairn_fault *fault);

/* Sets the registers of the line number machine as a sequence begins, whose program is at `at`. */
void dwarf_begin_sequence(struct dwarf_line *line, const uint8_t *at);

/* From the first on.  Numbers begin with 0 in DWARF 5, with 1 before. */
bool dwarf_next_directory(struct dwarf_line *line, struct dwarf_line_entry *entry);
bool dwarf_next_file(struct dwarf_line *line, struct dwarf_line_entry *entry);

/* False at the end, and at damage. */
bool dwarf_next_row(struct dwarf_line *line, struct dwarf_row *row);

/* Rows of one sequence: places in files by address, one for each place that code comes to. */
struct dwarf_places {
	struct function_row *row; /* `room` of them; flags are not set */
	size_t count, room;
	uint64_t files;      /* numbers from here on are those of no file, and become 0 */
	uint32_t first_file; /* is added to the number of a file */
	bool columns; /* rows have them; else columns are 0, and places that differ by them are one */
};

/*
 * Appends rows, as dwarf_next_row() gives them with kind DWARF_ROW: the last at an address counts, and one that
 * repeats the row before it is left out.  Ends when there is no more room, and where dwarf_next_row() must go on, after
 * which there may be more of these.  From the first call on, only addresses, files and lines of rows are right, and if they
 * are asked for columns.
 */
void dwarf_append_places(struct dwarf_line *line, struct dwarf_places *places);

/*
 * Passes over such rows. Until the sequence ends, only addresses of rows are right from then on: it is read again from its
 * start, with a copy of `line`, if it turns out to be of interest.
 */
void dwarf_pass_places(struct dwarf_line *line);

#endif
