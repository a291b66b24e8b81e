/* SPDX-License-Identifier: MIT */
/*
 * Reads the functions of a program from DWARF, with line table rows and inlined calls, unit by
 * unit. Supports DWARF 2 to 5, 32-bit and 64-bit, in either byte order; compressed sections;
 * relocatable files; and, if the caller provides the files, an alternate file (dwz) and split
 * DWARF.
 *
 * It does not search for other files, create functions from symbols (only their names are used),
 * sort functions, or remove duplicates: several units may contain the same function.
 *
 *	struct program *program;
 *	struct program_input input = { .debug = bytes, .aliases = &aliases };
 *	status = program_open(&input, &program, &damage);
 *	...
 *	struct program_reader *reader = program_reader_new(program);
 *	for (size_t i = 0; i < program_units(program); i++)
 *		status = program_read(reader, i, &sink);
 *	...
 *	program_reader_free(reader);
 *	program_close(program);
 *
 * Threads: Threads may share a program, but a reader belongs to one thread. Each unit is read by
 * one reader, and the result depends only on the unit. The functions of a unit are emitted in the
 * order of their DIEs. Hence a writer that orders equal functions by (unit, order in the unit) has
 * the same output for any number of threads.
 *
 * Memory: A reader needs a few times the size of the largest unit. A program needs its decompressed
 * or relocated sections and 24 bytes per sequence of the line tables. Functions are not stored.
 */
#ifndef CAIRN_DEBUGINFO_PROGRAM_H
#define CAIRN_DEBUGINFO_PROGRAM_H

#include "base/function.h"
#include "debuginfo/budget.h"
#include "debuginfo/symbol_table.h"

/*
 * Finds the split half of a unit (`.dwo`). Several readers may call `find` at the same time. The
 * bytes that it returns are borrowed until program_close(); empty bytes mean that no file was
 * found.
 */
struct program_dwo_source {
	struct cairn_bytes (*find)(void *context, struct cairn_bytes directory,
	                           struct cairn_bytes name, uint64_t id);
	void *context;
	struct cairn_bytes package;
};

/* All bytes are borrowed until program_close(); absent files have size 0. */
struct program_input {
	struct cairn_bytes debug; /* ELF file with DWARF; may be the program itself */
	struct cairn_bytes alt;   /* file named by .gnu_debugaltlink */
	struct program_dwo_source split;
	const struct aliases *aliases; /* NULL to use only names from DWARF */
	bool call_sites;               /* also report calls that are not inlined */
	/* keep all rows at an address, and flag the rows where statements begin */
	bool every_row;
	/* keep columns, and rows that differ from the previous one only in the column */
	bool columns;
	bool mapped;      /* all bytes are mapped from files; release pages after reading */
	unsigned threads; /* number of threads for opening; 0 uses the calling thread */
	enum cairn_name_style names;
	/* keep directories as in the line table, without prepending the compilation directory */
	bool relative;
	/*
	 * For lookups: do not list the units until one of the functions below needs the list. The
	 * sink only borrows functions, so their cost is not drawn from the budget. Freeing a reader
	 * returns the memory that it drew to the budget.
	 */
	bool unlisted;
};

struct program;
struct program_reader;
struct function_builder_focus;

/*
 * Open a program. Returns NOT_FOUND if there is no DWARF. If the list of units is damaged, the
 * units before the damage can be read, and *damage describes it.
 */
CAIRN_MUST_USE enum cairn_status program_open(const struct program_input *input,
                                              struct program **program,
                                              struct program_damage *damage);
void program_close(struct program *program);

size_t program_units(const struct program *program);

enum { PROGRAM_UNITS_FOUND_MAX = 2048 };

struct program_unit_list {
	size_t unit[PROGRAM_UNITS_FOUND_MAX];
	size_t count;
};

/*
 * Set *found to the units whose roots claim code in one of `count` ascending ranges. Reads only the
 * root of each unit. Returns false if a unit is damaged or too many units are found; all units must
 * then be read. Afterwards all units are listed. Not thread-safe, and no reader may have read a
 * unit yet.
 */
bool program_find_units(struct program *program, const struct cairn_range *asked, size_t count,
                        struct program_unit_list *found);

/*
 * Find the units like program_find_units(), but through .debug_aranges. This is faster, but
 * depending on the producer, units may be missing. Afterwards only these units are listed, so
 * references to other units fail (see program_missed_units()). Returns false if the section names
 * no unit.
 */
bool program_find_named_units(struct program *program, const struct cairn_range *asked,
                              size_t count, struct program_unit_list *found);

/*
 * List all units and their code for program_find_indexed_units(). A unit whose ranges are unknown
 * is returned for every address. Returns false if allocation fails or the budget is exhausted; the
 * units found until then are kept. No reader may have read a unit yet.
 */
bool program_index_units(struct program *program);

/*
 * Set *found to the units with code in the range, using the index. Returns false if there are too
 * many; `found` is then incomplete.
 */
bool program_find_indexed_units(const struct program *program, struct cairn_range asked,
                                struct program_unit_list *found);

/*
 * Return true if a reader needed a unit that is not listed, so that some functions may be
 * incomplete.
 */
bool program_missed_units(const struct program *program);

/* Create a reader. Its strings live until it is freed. Returns NULL if allocation fails. */
struct program_reader *program_reader_new(struct program *program);
void program_reader_free(struct program_reader *reader);

/*
 * Let the reader skip functions outside the ranges of `focus`, which is borrowed, and rows that
 * lookups in these ranges do not need. Because this only saves work, functions outside the ranges
 * may still be passed to the sink. NULL removes the restriction.
 */
void program_focus(struct program_reader *reader, const struct function_builder_focus *focus);

/*
 * Make the reader skip duplicate functions. If several functions have the same range and name, the
 * first in the order (unit, order in the unit) is emitted. Some duplicates are emitted
 * nevertheless: functions of C units, for example, are not compared, because a C function is in one
 * unit only. The table `given` is borrowed and shared by all readers of the program.
 */
struct recorded_functions;
void program_give_once(struct program_reader *reader, struct recorded_functions *given);

/*
 * Read all functions of a unit. A damaged unit is counted, not reported as a failure; the functions
 * before the damage are passed to `sink`. Returns CAIRN_OK, NO_MEMORY or the status of the sink.
 * Returns MALFORMED if the program exceeds the budget for its size (debuginfo/budget.h); then
 * the summary has the location, and no reader of the program emits further functions.
 */
CAIRN_MUST_USE enum cairn_status program_read(struct program_reader *reader, size_t unit,
                                              const struct function_sink *sink);

/*
 * Find line rows for a function that has no DIE. The caller sets function->start and ->size; rows
 * and files are filled in and valid until the next call with this reader. Returns NOT_FOUND if no
 * line table covers any part of the function, or MALFORMED like program_read(). Call after all
 * units have been read or, after program_index_units(), the units with code in the range. Not
 * thread-safe.
 */
CAIRN_MUST_USE enum cairn_status program_rows_at(struct program_reader *reader,
                                                 struct function *function);

/*
 * Find rows like program_rows_at(), but in two steps, for many functions after all units have been
 * read. program_find_rows() sets *unit to the unit with rows for a range, or to SIZE_MAX. It is not
 * thread-safe, and returns false if allocation fails. program_rows_of() then reads the rows.
 * program_ask_rows() limits the rows that are kept from line tables read afterwards to the given
 * ranges, which must ascend and are borrowed; a count of 0 removes the limit.
 */
bool program_find_rows(struct program *program, struct cairn_range range, size_t *unit);
CAIRN_MUST_USE enum cairn_status program_rows_of(struct program_reader *reader, size_t unit,
                                                 struct function *function);
void program_ask_rows(struct program_reader *reader, const struct cairn_range *range, size_t count);

#define PROGRAM_EXHAUSTED_NEXT "no compiler shares that much: use the file as it was built"

/* Describe dropped ranges with a lower-case plural phrase, such as "empty ranges". */
const char *program_drop_text(enum program_drop drop);

/* Return why some units could not be listed (the budget is exhausted), or NULL. */
const char *program_flaw(const struct program *program);

uint64_t program_memory(const struct program *program);

void program_add_summary(const struct program_reader *reader, struct program_summary *sum);

#endif
