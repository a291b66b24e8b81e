/* SPDX-License-Identifier: MIT */
/*
 * What DWARF records about a program: its functions with rows of the line table and inlined calls, unit
 * after unit.  DWARF 2 to 5, of 32 and 64 bits, either byte order; sections that are compressed;
 * relocatable files; an alternate file (dwz) and split DWARF when the caller lends them.
 *
 * It does not look for other files, does not make functions of symbols (it only takes their names),
 * does not sort, and does not throw away copies: the same function may come from several units.
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
 * Threads: a program may be shared, a reader belongs to one thread.  Each unit is read by one
 * reader, whichever it is: what it gives depends on the unit alone.  The functions of one unit come
 * in the order of its entries.  So a writer that orders equal functions by (unit, order inside it)
 * has the same output for any number of threads.
 *
 * Memory: per reader a few times the largest unit, per program the sections that had to be
 * decompressed or relocated, and 24 bytes for each sequence of the line tables.  Functions are not
 * kept.
 */
#ifndef CAIRN_DEBUGINFO_PROGRAM_PROGRAM_H
#define CAIRN_DEBUGINFO_PROGRAM_PROGRAM_H

#include "debuginfo/budget/summary.h"
#include "debuginfo/elf/aliases.h"
#include "model/function.h"

/*
 * Where the split half of a unit is (`.dwo`, or a `.dwp` of all).  `find` is called from the
 * threads of readers, maybe by several at once; what it gives is borrowed until program_close().
 * `package` says whether these bytes are a `.dwp`.  Empty bytes: there is none.
 */
struct program_dwo_source {
	struct cairn_bytes (*find)(void *context, struct cairn_bytes directory,
	                           struct cairn_bytes name, uint64_t id);
	void *context;
	struct cairn_bytes package; /* the program's `.dwp`, or empty */
};

/* All bytes are borrowed until program_close().  Empty ones have size 0. */
struct program_input {
	struct cairn_bytes debug; /* the ELF file with DWARF; may be the program itself */
	struct cairn_bytes alt;   /* its .gnu_debugaltlink file */
	struct program_dwo_source split;
	const struct aliases *aliases; /* NULL: names are those of DWARF */
	bool call_sites;               /* also give calls that are still calls */
	bool every_row; /* also those before the last one of an address, and where statements begin */
	bool columns; /* rows and inlined calls have them; of two rows that differ by them none is left out */
	bool mapped;   /* all bytes are mapped from files: pages that were read may be given back */
	unsigned threads; /* for opening it; 0: the caller's alone */
	enum cairn_name_style names;
	bool relative; /* folders of files are as the line tables have them, without that of the compilation */
	/*
	 * For lookups: program_find_units() lists the units, or the one after it; till then there are none.  Functions are
	 * lent, and what they cost to keep is not drawn from the budget; what a reader drew comes back when it is freed.
	 */
	bool unlisted;
};

struct program;
struct program_reader;
struct function_builder_focus;

/*
 * NOT_FOUND: there is no DWARF.  A file whose list of units ends in damage opens: the units before
 * it are read, and the summary reports that.
 */
CAIRN_MUST_USE enum cairn_status program_open(const struct program_input *input,
                                              struct program **program,
                                              struct program_damage *damage);
void program_close(struct program *program);

/* How many units there are to read. */
size_t program_units(const struct program *program);

enum { PROGRAM_UNITS_FOUND_MAX = 2048 };

struct program_unit_list {
	size_t unit[PROGRAM_UNITS_FOUND_MAX]; /* ascending */
	size_t count;
};

/*
 * The units whose first entries claim code of one of `count` ascending ranges.  Of each unit only that entry is read.  False
 * when this cannot be known of all units (they are damaged), or when there are
 * too many: then all units are to be read.  All units are listed after it.  One thread at a time, and no reader
 * may be there that has read a unit.
 */
bool program_find_units(struct program *program, const struct cairn_range *asked, size_t count,
                        struct program_unit_list *found);

/*
 * The same by .debug_aranges, which is faster; a producer may have left out code.  No more than these units are listed
 * after it: what they refer to elsewhere is missed.  False: the section does not know any.
 */
bool program_find_named_units(struct program *program, const struct cairn_range *asked,
                              size_t count, struct program_unit_list *found);

/*
 * Lists all units, and where their code is, for program_find_indexed_units().  A unit whose code is not known may be anywhere.
 * False: memory is short, or the budget used up; what was found before that is there.  As above, no reader may be there.
 */
bool program_index_units(struct program *program);

/* The units with code in the range, by that index.  False: there are too many, of which some were found. */
bool program_find_indexed_units(const struct program *program, struct cairn_range asked,
                                struct program_unit_list *found);

/* Did a reader look for a unit that is not listed?  Then what it gave may be less than there is. */
bool program_missed_units(const struct program *program);

/* NULL when memory is short.  Texts that a reader gave live until it is freed. */
struct program_reader *program_reader_new(struct program *program);
void program_reader_free(struct program_reader *reader);

/*
 * From then on the reader gives functions that touch one of the ranges, and maybe others; of each row only what a lookup
 * needs.  `focus` is lent.
 */
void program_focus(struct program_reader *reader, const struct function_builder_focus *focus);

/*
 * From then on the reader gives of functions with one range and name only the one that stands first in the order of
 * (unit, order inside it), and maybe others, as of units of C, which have no copies.  The table is lent, to all readers of the
 * program.
 */
struct given_functions;
void program_give_once(struct program_reader *reader, struct given_functions *given);

/*
 * All functions of a unit.  A broken unit is not an outcome: it is counted, and what was sound
 * before the damage has been given.  NO_MEMORY, or what the sink returned.  MALFORMED: reading the
 * program takes more than its size allows (debuginfo/budget/budget.h), and the summary gives the place; nothing more is
 * given by any reader of the program.
 */
CAIRN_MUST_USE enum cairn_status program_read(struct program_reader *reader, size_t unit,
                                              const struct function_sink *sink);

/*
 * Rows for a function that no unit names: function->start and ->size are given, rows and files are
 * filled in and lent until the next call with this reader.  NOT_FOUND: no line table covers its
 * start or a part of it.  MALFORMED: as with program_read().  To be asked when all units have
 * been read, or after program_index_units() those with code in the range; one thread at a time.
 */
CAIRN_MUST_USE enum cairn_status program_rows_at(struct program_reader *reader,
                                                 struct function *function);

/*
 * The same in two steps, for many functions when all units have been read: the unit with rows for a range, all ones where there is
 * none (one thread at a time; false: memory is short), and its rows for a function.  What is asked before are ascending ranges, which stay the
 * caller's: of line tables that are read from then on they alone are kept; none: all.
 */
bool program_find_rows(struct program *program, struct cairn_range range, size_t *unit);
CAIRN_MUST_USE enum cairn_status program_rows_of(struct program_reader *reader, size_t unit,
                                                 struct function *function);
void program_ask_rows(struct program_reader *reader, const struct cairn_range *range,
                      size_t count);

/* What to do about it: for the end of a message. */
#define PROGRAM_EXHAUSTED_NEXT "no compiler shares that much: use the file as it was built"

/* A lower-case phrase for why, in the plural: "empty ranges". */
const char *program_drop_text(enum program_drop drop);

/* Why its units could not all be listed: that takes more than its size allows.  NULL: nothing was too much. */
const char *program_flaw(const struct program *program);

/* Bytes that it and its readers hold, about. */
uint64_t program_memory(const struct program *program);

/* What this reader has read, to be summed over all of them. */
void program_add_summary(const struct program_reader *reader, struct program_summary *sum);

#endif
