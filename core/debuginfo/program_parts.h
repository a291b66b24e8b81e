/* SPDX-License-Identifier: MIT */
/* What the files of program.h share. */
#ifndef CAIRN_DEBUGINFO_PROGRAM_PARTS_H
#define CAIRN_DEBUGINFO_PROGRAM_PARTS_H

#include "debuginfo/dies.h"
#include "debuginfo/harvest.h"
#include "debuginfo/plain.h"
#include "debuginfo/program.h"
#include "debuginfo/slow.h"
#include "debuginfo/spans.h"

/* Where the rows of one unit lie; written once, by the reader of that unit. */
struct program_places {
	struct cairn_range *range;
	size_t count;
};

/* A sequence of some unit, for program_rows_at(). */
struct program_place {
	struct cairn_range range;
	uint64_t reach; /* the highest end of this one and those before it */
	size_t unit;
};

struct program {
	struct program_input input;
	struct plain plain, alt_plain, package_plain;
	struct dies_file main, alt, package;
	bool has_alt, has_package;
	struct spans text;
	struct program_damage damage;  /* of the list of units */
	struct program_places *places; /* for each unit */
	struct program_place *index;   /* of all, ascending; made at the first question */
	size_t index_count;
	bool has_index;
};

/* A split file that was opened for one unit, and stays for the texts in it. */
struct program_split_file {
	struct program_split_file *next;
	struct plain plain;
	struct dies_file file;
};

struct program_reader {
	struct program *program;
	struct texts texts;
	struct dies dies;
	struct lines lines;
	size_t lines_unit; /* whose rows are there for program_rows_at(); all ones: nobody's */
	struct harvest harvest;
	struct program_summary summary;
	struct program_split_file *split;
	struct slow *slow;
};

/* The line table of a unit that was read before, again.  NOT_FOUND: it has none. */
CAIRN_MUST_USE enum cairn_status program_reload_lines(struct program_reader *reader, size_t unit);

/* Damage of a unit, told when it is the first. */
void program_note(struct program_reader *reader, size_t unit, const struct cairn_fault *fault,
                  const char *section);

/*
 * Makes dies.main, a skeleton, the split unit that belongs to it.  NOT_FOUND: it is not there.
 */
CAIRN_MUST_USE enum cairn_status program_load_split(struct program_reader *reader,
                                                    struct cairn_fault *fault,
                                                    const char **section);
void program_close_split(struct program_reader *reader);

#endif
