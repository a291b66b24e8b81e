/* SPDX-License-Identifier: MIT */
/*
 * All that a GSYM file knows, function by function, as writers of other formats take it.
 *
 *	struct gsym_losses losses;
 *	status = gsym_functions(&gsym, &sink, false, &losses);
 *	if (losses.count)
 *		... losses.first is what was wrong with the first of them
 *
 * What struct function promises is seen to here: rows are put in order, ranges of inlined calls cut
 * to those of the call around them, so that each address has the answer that a lookup gives.
 * Functions that the linker folded into the code of another follow it, with the same start.
 *
 * A function whose record cannot be read is left out; one with a damaged block keeps what was read
 * before the damage.  Both count as losses, and neither ends the reading.  It does not look into
 * the records beforehand, and gives no account of every flaw: that is gsym_check_function().
 */
#ifndef CAIRN_SYMBOLS_SOURCES_GSYM_H
#define CAIRN_SYMBOLS_SOURCES_GSYM_H

#include "base/nested_ranges.h"
#include "formats/gsym/walk.h"
#include "model/function.h"

struct gsym_losses {
	uint64_t count;           /* functions that lost something */
	struct cairn_fault first; /* OK when there are none */
};

/*
 * In the order of the file, which is that of the functions' starts.  CAIRN_OK, NO_MEMORY, or what
 * the sink returned.  `losses` may be NULL.
 *
 * With `every_row` a function has all rows that the file has for one address, where struct function
 * promises one: for debuggers, which look for the address of a line, too.  The last of them holds.
 */
CAIRN_MUST_USE enum cairn_status gsym_functions(const struct gsym *gsym,
                                                const struct function_sink *sink, bool every_row,
                                                struct gsym_losses *losses);

/*
 * The names of all functions of a file, under a bound.  Whoever takes them looks at every byte of
 * each, and may keep each text once; but names may share their bytes, and one long text may be
 * the name of every function.  So bytes are counted each time.
 */

enum {
	GSYM_NAMES_TIMES = 64,      /* times the file; programs in C++ have some 10 */
	GSYM_NAMES_TAILS = 4,       /* times the strings, for names that begin inside of another */
	GSYM_NAMES_LEAST = 1 << 16, /* bytes of either, for small files */
};

struct gsym_names {
	const struct gsym *gsym;
	uint64_t left, tails; /* bytes */
};

struct gsym_names gsym_names(const struct gsym *gsym);

/* The text at the offset; else it is empty, and what is wrong is returned. */
const char *gsym_names_read(struct gsym_names *names, uint64_t offset, struct cairn_bytes *text);

/* The bytes of the function_path() behind a name that was read; 0 when there is none, or there are too many. */
uint32_t gsym_names_path(struct gsym_names *names, struct cairn_bytes name);

/*
 * The inline tree of one function as a list of calls, whose ranges ascend and are inside those of
 * the call around them.  The file promises neither.
 */
struct gsym_inlines {
	struct function_inline *call; /* call_file as in the GSYM file, at most UINT32_MAX */
	size_t count, call_room;
	struct nested_ranges ranges;
	bool parted;                /* the function is one of several parts */
	bool paths;                 /* set once: calls get their function_path() */
	bool marked;                /* the node in progress has a mark, */
	uint64_t mark;              /* here */
	struct gsym_nodes *nodes;   /* large, and so is this: */
	struct nested_level *level; /* the way down to that node */
};

/*
 * The records of a GSYM file as functions, one at a time and in any order.
 * After gsym_reader_init(), gsym_reader_next() finds the record of a number, and gsym_reader_read() makes
 * reader.function of it, which is lent until the next call.
 */
struct gsym_reader {
	const struct gsym *gsym;
	struct gsym_walk walk;
	struct gsym_names names;
	struct gsym_losses losses;
	bool every_row; /* also those that another one of the same address follows */
	bool flawed;    /* the function in progress */
	struct function function;
	struct function_file *files; /* one for each entry of the file table, at least 1 */
	struct function_row *rows;   /* these arrays are kept for the next function */
	struct function_call *calls;
	struct cairn_bytes *callees;
	size_t row_room, call_room, callee_room;
	struct gsym_inlines inlines;
};

/* False when memory is short.  gsym_reader_finish() is to be called in both cases. */
bool gsym_reader_init(struct gsym_reader *reader, const struct gsym *gsym, bool every_row);
void gsym_reader_finish(struct gsym_reader *reader);

/*
 * The record of function `index`, which must be below gsym->functions.  False: it cannot be read, or the
 * file has more to read than the bound of gsym_walk allows; it counts as lost.
 */
bool gsym_reader_next(struct gsym_reader *reader, uint32_t index, struct gsym_function *record);

/*
 * All of a record, into reader->function.  Its block of merged functions is left to the caller; without
 * one the block has type GSYM_END.  CAIRN_OK or NO_MEMORY: what is damaged counts as lost.
 */
CAIRN_MUST_USE enum cairn_status gsym_reader_read(struct gsym_reader *reader,
                                                  const struct gsym_function *record,
                                                  struct gsym_block *merged);

/* Counts a fault of the function in progress; nothing for CAIRN_OK. */
void gsym_reader_lose(struct gsym_reader *reader, struct cairn_fault fault);

#endif
