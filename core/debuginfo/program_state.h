/* SPDX-License-Identifier: MIT */
/* Private definitions shared by program.c and program_read.c. */
#ifndef CAIRN_DEBUGINFO_PROGRAM_STATE_H
#define CAIRN_DEBUGINFO_PROGRAM_STATE_H

#include "program.h"

#include "debuginfo/dies.h"
#include "debuginfo/dwarf_sections.h"
#include "debuginfo/symbol_table.h"
#include "function_builder.h"

/* Code covered by the rows of one unit. Written once, by the reader of that unit. */
struct program_row_ranges {
	struct cairn_range *range;
	size_t count;
};

struct program_row_range {
	struct cairn_range range;
	uint64_t reach; /* highest end of this and all previous sequences */
	size_t unit;
};

struct program {
	struct program_input input;
	struct budget_pool pool;
	struct budget budget;
	struct dwarf_file plain, alt_plain, package_plain;
	struct dies_file main, alt, package;
	bool has_alt, has_package;
	struct code_ranges text;
	struct program_damage damage;
	/* a reader needed a unit that program_find_named_units() has not listed */
	bool missed;
	/* array with one element per unit; NULL if units are not listed */
	struct program_row_ranges *places;
	/* line table sequences of all units, in ascending order; built on first use */
	struct program_row_range *index;
	size_t index_count;
	bool has_index;
	/* address ranges of all units, in ascending order; built by program_index_units() */
	struct program_row_range *code;
	size_t code_count, code_capacity;
	/* .debug_aranges, loaded on first use; empty if missing or unusable */
	struct cairn_bytes aranges;
	void *aranges_memory;
	bool has_aranges;
};

/* A split file opened for one unit. Kept because functions borrow its strings. */
struct program_dwo_file {
	struct program_dwo_file *next;
	struct dwarf_file plain;
	struct dies_file file;
};

struct program_reader {
	struct program *program;
	struct budget budget;
	/* memory left in the program's budget when this reader was created */
	uint64_t memory;
	struct program_damage exhausted;
	struct string_store texts;
	struct dies dies;
	struct lines lines;
	size_t lines_unit; /* unit whose rows are in `lines`; SIZE_MAX if none */
	/*
	 * The line table that makes up most of .debug_line, kept because symbols without a DIE need
	 * it again.
	 */
	struct lines kept;
	size_t kept_unit;
	struct function_builder builder;
	struct recorded_functions *given;
	struct program_summary summary;
	struct program_dwo_file *split;
};

/* Return true if the unit may contain functions. Units of unknown version are skipped. */
bool program_may_hold_code(const struct dwarf_unit *unit);

void program_sort_ranges(struct program_row_range *range, size_t count);

/*
 * Prefetch a line table, whose header states its size, or a unit. The size of a unit's
 * abbreviations is unknown, so only their beginning is prefetched.
 */
void program_fetch_lines(const struct program *program, uint64_t offset);
void program_fetch_unit(const struct program *program, const struct dwarf_unit *unit);

enum cairn_status program_exhausted(const struct budget *budget, uint64_t offset,
                                    struct cairn_fault *fault);

static inline bool program_is_mapped(const struct program *program, enum dwarf_section_kind section)
{
	return program->input.mapped && !program->plain.memory[section];
}

#endif
