/* SPDX-License-Identifier: MIT */
/*
 * The line table of one unit: its files with their paths put together, and its rows, one for each
 * address or all that a debugger can use, by sequences.  A sequence is a piece of the program that was laid out as a whole; the
 * sequences of code that was dropped or folded into other code may be above others.
 */
#ifndef CAIRN_DEBUGINFO_DWARF_LINES_H
#define CAIRN_DEBUGINFO_DWARF_LINES_H

#include "debuginfo/budget/string_store.h"
#include "debuginfo/elf/code_ranges.h"
#include "formats/dwarf/line.h"
#include "model/function.h"

struct lines_sequence {
	uint64_t low, high;
	uint64_t reach;      /* the highest end of this one and those before it */
	uint64_t offset;     /* of its program, in .debug_line */
	size_t order;        /* among those of the table, as they are in the program */
	size_t first, count; /* its rows; count 0: they were passed over */
};

/* What is needed beside the section to understand a line table. */
struct lines_source {
	const struct dwarf_sections *sections;
	const struct dwarf_unit *unit;
	const struct dwarf_bases *bases;
	const struct code_ranges *text; /* sequences outside of it are left out */
	struct cairn_bytes comp_dir;
	struct string_store *texts;
};

/* The row before, as GDB sees it; `any` is unset where a sequence begins. */
struct passed {
	bool any;       /* there was one in this sequence */
	bool statement; /* one begins at the address */
	bool hides;     /* so that GDB ignores the row after it */
	uint64_t va, file;
	uint32_t line;
};

struct lines {
	struct budget *budget; /* these are set once, before the first table is read */
	bool every_row;
	bool columns;  /* rows have them */
	bool relative; /* files are named as seen from the folder of the compilation */
	/* without `every_row`: of which code rows are wanted, ascending; 0: of all */
	const struct cairn_range *asked;
	size_t asked_count;
	struct function_file *file;
	size_t files, file_room;
	uint64_t file_set; /* another number for each table that was read */
	struct cairn_bytes *directory;
	size_t directories, directory_room;
	struct function_row *row;
	size_t rows, row_room;
	struct lines_sequence
		*sequence; /* ascending; of equal starts in the order of the program */
	size_t sequences, sequence_room;
	size_t passed;            /* sequences without their rows */
	struct passed before;     /* the row before */
	struct function_row *cut; /* of the last question */
	size_t cut_room;
	uint64_t bytes;           /* of the program */
	bool from_zero;           /* the numbers of files begin with 0 */
	struct cairn_fault fault; /* what ended the reading; CAIRN_OK: the end */

	/* where rows that were passed over are read again */
	struct lines_source source;
	struct dwarf_unit unit;
	struct dwarf_bases bases;
	uint64_t offset;
};

/*
 * Reads the table at `offset`; what `lines` held before is gone, its memory is used again.  Damage
 * is reported by ->fault and ends the rows; false means that memory is short, or the budget used up.
 */
bool lines_read(struct lines *lines, const struct lines_source *source, uint64_t offset);

/* The same table again, with all of its rows. Its sections and texts are still to be there. */
bool lines_read_all(struct lines *lines);
void lines_clear(struct lines *lines);
void lines_finish(struct lines *lines);

/* Returns our number of the file that an attribute or a row names. */
uint32_t lines_file(const struct lines *lines, uint64_t number);

/* Which sequence is meant where several are above each other. */
struct lines_hint {
	bool has_sequence;
	uint64_t sequence;   /* DW_AT_LLVM_stmt_sequence */
	uint32_t file, line; /* where the function is declared; line 0: not known */
};

/* Rows of a function: of the table itself where they are as they should be, else in lines->cut. */
struct lines_cut {
	const struct function_row *row;
	size_t count;
};

/*
 * Rows for all of `range`, the first at its start; where no sequence is, a row without file and
 * line.  There are none when no sequence touches the range.  They are lent until the next call, and with
 * ->every_row they are in ->cut.  False when memory is short, or the budget used up.
 */
bool lines_clip(struct lines *lines, struct cairn_range range, const struct lines_hint *hint,
                struct lines_cut *cut);

#endif
