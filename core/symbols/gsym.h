/* SPDX-License-Identifier: MIT */
/*
 * Reads all functions in a GSYM file. Files may violate guarantees of struct function, so rows are
 * sorted and the ranges of inlined calls are clipped to the enclosing call. Each address then has
 * the same locations as in a lookup. Functions that the linker has folded into another function's
 * code follow it with the same start.
 *
 *	struct gsym_losses losses;
 *	status = gsym_functions(&gsym, &sink, false, &losses);
 *	if (losses.count)
 *		... losses.first describes the first loss
 *
 * A function whose record cannot be read is omitted, and a function with a damaged block keeps
 * everything before the damage. Both are counted as losses; neither ends reading. For a complete
 * account of all flaws use gsym_check_function().
 */
#ifndef CAIRN_SYMBOLS_GSYM_H
#define CAIRN_SYMBOLS_GSYM_H

#include "base/function.h"
#include "base/range.h"
#include "formats/gsym/gsym.h"

struct gsym_losses {
	uint64_t count;
	struct cairn_fault first; /* CAIRN_OK if nothing was lost */
};

/*
 * Pass all functions to `sink` in file order, which is ascending order of start addresses. Returns
 * CAIRN_OK, NO_MEMORY, or the status of the sink. `losses` may be NULL.
 *
 * struct function guarantees one row per address. If `every_row` is set, functions keep all rows in
 * the file, and the last row at an address is the valid one. Debuggers need all rows because they
 * also look up the addresses of a line.
 */
CAIRN_MUST_USE enum cairn_status gsym_functions(const struct gsym *gsym,
                                                const struct function_sink *sink, bool every_row,
                                                struct gsym_losses *losses);

/*
 * Limits the total size of the function names read from a file. Readers look at every byte of each
 * name and may keep a copy of each. However, names may overlap, and one long string may be the name
 * of every function, so a string's bytes are counted each time it is used.
 */
enum {
	/* maximum number of name bytes per byte of the file; C++ programs need about 10 */
	GSYM_NAMES_TIMES = 64,
	/*
	 * maximum number of bytes in names that begin inside another name, per byte of the string
	 * table
	 */
	GSYM_NAMES_TAILS = 4,
	/*
	 * number of bytes allowed in addition to GSYM_NAMES_TIMES and GSYM_NAMES_TAILS, for small
	 * files
	 */
	GSYM_NAMES_LEAST = 1 << 16,
};

struct gsym_names {
	const struct gsym *gsym;
	uint64_t left, tails;
};

struct gsym_names gsym_names(const struct gsym *gsym);

/*
 * Read the string at `offset`. Returns NULL on success, otherwise an error message and an empty
 * string.
 */
const char *gsym_names_read(struct gsym_names *names, uint64_t offset, struct cairn_bytes *text);

/*
 * Return the size of the function_path() that follows a name, or 0 if the name has no path or the
 * limit is exhausted.
 */
uint32_t gsym_names_path(struct gsym_names *names, struct cairn_bytes name);

/*
 * Inline tree of one function as a list of calls. Unlike in the file, ranges are guaranteed to
 * ascend and to lie inside the enclosing call.
 */
struct gsym_inlines {
	/* call_file is the file number in the GSYM file, limited to UINT32_MAX */
	struct function_inline *call;
	size_t count, call_capacity;
	struct nested_ranges ranges;
	bool parted; /* function is split into several parts */
	bool paths;  /* set by the caller to give calls their function_path() */
	bool marked;
	uint64_t mark;
	/* `nodes` and `level` are allocated separately because they are large */
	struct gsym_nodes *nodes;
	struct nested_level *level;
};

/*
 * Reads records of a GSYM file as functions, one at a time, in any order. After gsym_reader_init(),
 * gsym_reader_next() finds a record by its index, and gsym_reader_read() converts it to
 * reader.function, which is valid until the next call.
 */
struct gsym_reader {
	const struct gsym *gsym;
	struct gsym_walk walk;
	struct gsym_names names;
	struct gsym_losses losses;
	bool every_row;
	bool flawed;
	struct function function;
	struct function_file *files; /* decoded file table; has at least one element */
	struct function_row *rows;   /* buffers reused for each function */
	struct function_call *calls;
	struct cairn_bytes *callees;
	size_t row_capacity, call_capacity, callee_capacity;
	struct gsym_inlines inlines;
};

/*
 * Initialize a reader. Returns false if allocation fails. gsym_reader_finish() must be called in
 * either case.
 */
bool gsym_reader_init(struct gsym_reader *reader, const struct gsym *gsym, bool every_row);
void gsym_reader_finish(struct gsym_reader *reader);

/*
 * Find the record of function `index`, which must be below gsym->functions. If the record cannot be
 * read, or the file exceeds the limit of gsym_walk, counts a loss and returns false.
 */
bool gsym_reader_next(struct gsym_reader *reader, uint32_t index, struct gsym_function *record);

/*
 * Read a record into reader->function, and its block of merged functions into *merged, whose type
 * is GSYM_END if there is no such block. Returns CAIRN_OK or NO_MEMORY; damage is counted as a
 * loss.
 */
CAIRN_MUST_USE enum cairn_status gsym_reader_read(struct gsym_reader *reader,
                                                  const struct gsym_function *record,
                                                  struct gsym_block *merged);

/* Count a fault in the current function as a loss. Ignores CAIRN_OK. */
void gsym_reader_lose(struct gsym_reader *reader, struct cairn_fault fault);

#endif
