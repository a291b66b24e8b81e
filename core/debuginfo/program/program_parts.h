/* SPDX-License-Identifier: MIT */
/* What the files of program.h share. */
#ifndef CAIRN_DEBUGINFO_PROGRAM_PROGRAM_PARTS_H
#define CAIRN_DEBUGINFO_PROGRAM_PROGRAM_PARTS_H

#include "program.h"

#include "debuginfo/dwarf/dies.h"
#include "debuginfo/elf/code_ranges.h"
#include "debuginfo/elf/dwarf_sections.h"
#include "debuginfo/functions/function_builder.h"

/* Where the rows of one unit are; written once, by the reader of that unit. */
struct program_row_ranges {
	struct cairn_range *range;
	size_t count;
};

/* A sequence of some unit, for program_rows_at(). */
struct program_row_range {
	struct cairn_range range;
	uint64_t reach; /* the highest end of this one and those before it */
	size_t unit;
};

struct program {
	struct program_input input;
	struct budget_pool pool;
	struct budget budget; /* for opening it */
	struct dwarf_file plain, alt_plain, package_plain;
	struct dies_file main, alt, package;
	bool has_alt, has_package;
	struct code_ranges text;
	struct program_damage damage;      /* of the list of units */
	bool missed;                       /* a unit that is not in a list of some was looked for */
	struct program_row_ranges *places; /* for each unit; NULL: they are not listed */
	struct program_row_range *index;   /* of all, ascending; made at the first question */
	size_t index_count;
	bool has_index;
	struct program_row_range *code; /* of units, ascending; made by program_index_units() */
	size_t code_count, code_room;
	struct cairn_bytes
		aranges;      /* .debug_aranges, once it was asked for; empty: it does not help */
	void *aranges_memory; /* where it was compressed */
	bool has_aranges;
};

/* A split file that was opened for one unit, and stays for the texts in it. */
struct program_dwo_file {
	struct program_dwo_file *next;
	struct dwarf_file plain;
	struct dies_file file;
};

struct program_reader {
	struct program *program;
	struct budget budget;
	uint64_t memory;                 /* that was left for all readers before this one */
	struct program_damage exhausted; /* where the budget was used up */
	struct string_store texts;
	struct dies dies;
	struct lines lines;
	size_t lines_unit; /* whose rows are there for program_rows_at(); all ones: nobody's */
	/* A table that is most of all tables, with its unit: symbols that no DIE names ask for it again. */
	struct lines kept;
	size_t kept_unit;
	struct function_builder builder;
	struct given_functions *given; /* for program_give_once(), or NULL */
	struct program_summary summary;
	struct program_dwo_file *split;
};

/* May the unit have functions?  Units of an unknown version are not read at all. */
bool program_may_hold_code(const struct dwarf_unit *unit);

/* Puts them in order, and sets how far they reach. */
void program_sort_ranges(struct program_row_range *range, size_t count);

/* A line table, whose size its first bytes are, will be read; and a unit, whose abbreviations have no size, and are some kilobytes. */
void program_fetch_lines(const struct program *program, uint64_t offset);
void program_fetch_unit(const struct program *program, const struct dwarf_unit *unit);

/* What an exhausted budget is: MALFORMED, and *fault with the offset. */
enum cairn_status program_exhausted(const struct budget *budget, uint64_t offset,
                                    struct cairn_fault *fault);

/* Is a section lent from a file whose pages come when they are read? */
static inline bool program_is_mapped(const struct program *program, enum dwarf_section_kind section)
{
	return program->input.mapped && !program->plain.memory[section];
}

#endif
