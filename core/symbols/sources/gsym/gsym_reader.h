/* SPDX-License-Identifier: MIT */
/*
 * The records of a GSYM file as functions, one at a time and in any order; gsym.h reads all of them.
 * After gsym_reader_init(), gsym_reader_next() finds the record of a number, and gsym_reader_read() makes
 * reader.function of it, which is lent until the next call.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_GSYM_GSYM_READER_H
#define CAIRN_SYMBOLS_SOURCES_GSYM_GSYM_READER_H

#include "gsym.h"
#include "gsym_inlines.h"
#include "gsym_names.h"

#include "formats/gsym/walk.h"

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
