/* SPDX-License-Identifier: MIT */
/*
 * Describes one function of a program. Readers of debugging information (DWARF, symbol tables,
 * Breakpad, GSYM, symbfile) pass it to the writer of a symbol format. All readers fill in the same
 * struct, so that every writer accepts every input.
 *
 * A reader passes one function at a time:
 *
 *	status = sink->take(sink->context, &function);
 *
 * The struct and its arrays are borrowed during that call. Strings are valid until the reader is
 * closed, and the same pointer always means the same string, so a writer may identify strings by
 * their address. File numbers belong to one unit: as long as `files` is the same pointer and
 * `file_set` the same number, a file number means the same file. The pointer alone is not enough
 * because readers reuse memory.
 *
 * A reader guarantees the following, so that no writer has to check it:
 * - rows are in ascending order and lie inside the function, and the first row, if any, is at its
 *   start; there is one row per address unless the caller requested every row, in which case the
 *   last row at an address describes its instruction; a range without line information has a row
 *   with file 0 and line 0 (a row with a line but file 0 has an unknown file);
 * - inlined calls are in pre-order, their ranges ascend, do not overlap, are not empty, and lie
 *   inside the ranges of the enclosing call;
 * - start + size does not wrap, and file numbers are below `file_count`.
 *
 * Functions come in any order, may overlap, and may occur repeatedly.
 */
#ifndef CAIRN_BASE_FUNCTION_H
#define CAIRN_BASE_FUNCTION_H

#include <cairn.h>

#include <stddef.h>

/*
 * A source file. cairn_location_path() joins directory and name. Entry 0 of a unit's files is empty
 * and stands for an unknown file.
 */
struct function_file {
	struct cairn_bytes directory, name;
};

/*
 * A row of a line table. It applies to all addresses up to the next row or, if it is the last one,
 * up to the end of the function.
 */
struct function_row {
	uint64_t va;
	uint32_t file, line; /* line 0 means unknown */
	/* a statement starts at this row; debuggers set breakpoints only on such rows */
	bool statement;
	bool prologue_end;
	/*
	 * the variables in scope change at this row, so a breakpoint on the line gets two locations
	 */
	bool apart;
	uint32_t column; /* 0 if unknown or not requested */
};

static inline bool function_row_repeats(const struct function_row *rows, size_t count,
                                        const struct function_row *row)
{
	if (count == 0)
		return false;
	const struct function_row *last = &rows[count - 1];
	return last->line == row->line && last->file == row->file && last->column == row->column &&
	       (!row->statement || last->statement) && !row->prologue_end && !row->apart;
}

/*
 * Rust linkage names do not contain the path by which debuggers identify trait methods and generic
 * functions. A reader that knows the path stores it after the name, a NUL and FUNCTION_PATH_MARK:
 *
 *	_ZN...speak17h0123456789abcdefE 0 1 trait_demo::{impl#1}::speak
 */
enum { FUNCTION_PATH_MARK = 1, FUNCTION_PATH_GAP = 2 };

static inline struct cairn_bytes function_path(struct cairn_bytes name, uint32_t size)
{
	return (struct cairn_bytes){ name.data + name.size + FUNCTION_PATH_GAP, size };
}

struct function_inline {
	/*
	 * nesting depth: 1 if inlined into the function itself, 2 if inlined into a call of depth
	 * 1, ...
	 */
	uint32_t depth;
	/*
	 * index of the call's first range in the function's `range` array, and number of its ranges
	 * (at least one)
	 */
	uint32_t range, ranges;
	/*
	 * location of the call site in the enclosing function; 0 if unknown. The column is also 0
	 * if columns were not requested.
	 */
	uint32_t call_file, call_line, call_column;
	struct cairn_bytes name;
	/*
	 * entry address, which may be in another part of a split function; 0 if it is the start of
	 * the first range
	 */
	uint64_t entry;
	uint32_t path_size;
};

/*
 * For each call i, set around[i] to the index of the enclosing call plus 1, or to 0 if the call is
 * inlined directly into the function. `inlines` must be in pre-order.
 */
static inline void function_find_around(const struct function_inline *inlines, size_t count,
                                        uint32_t *around)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t outer = i;
		while (outer > 0 && inlines[outer - 1].depth >= inlines[i].depth)
			outer = around[outer - 1];
		around[i] = outer;
	}
}

struct function_call {
	/* offset from the function's start to the instruction after the call */
	uint64_t return_offset;
	uint8_t flags; /* GSYM flags: 1 internal, 2 external, 0 unknown */
	/* regular expressions that match the names of possible callees */
	const struct cairn_bytes *callee;
	uint32_t callees;
};

/* Sources of a function's description, from best to worst. */
enum function_provenance {
	FUNCTION_DEBUG,
	FUNCTION_SYMBOL,
};

struct function {
	/* link-time address, and size in bytes; size 0 means unknown */
	uint64_t start, size;
	struct cairn_bytes name; /* linkage (mangled) name; may be empty */
	enum function_provenance source;

	const struct function_file *files;
	uint64_t file_set; /* incremented whenever `files` changes; always 0 if it never changes */
	uint32_t file_count;

	const struct function_row *rows;
	size_t row_count;
	/*
	 * the function is one part of a split function, so the `entry` of an inlined call may be
	 * in another part
	 */
	bool parted;
	/* the `statement` and `prologue_end` flags in the rows are valid */
	bool statements;
	const struct cairn_range *range; /* ranges of all inlined calls, concatenated */
	const struct function_inline *inlines;
	size_t inline_count;
	const struct function_call *calls;
	size_t call_count;
	uint32_t path_size;
};

/*
 * Receiver of functions. If the callback returns anything but CAIRN_OK, the reader stops and
 * returns that status.
 */
struct function_sink {
	enum cairn_status (*take)(void *context, const struct function *function);
	void *context;
};

/*
 * Chooses one of several functions with the same address range, both for a written file and for
 * lookups. Prefers, in this order, functions from debugging information, functions with a name, the
 * better name (according to the caller's comparison, then name_order_compare()), and functions with
 * lines. If two functions are equal by all these criteria, the caller uses the first one.
 */

struct function_rank {
	struct cairn_bytes name;
	enum function_provenance source;
	bool has_lines;
};

struct function_order {
	/*
	 * Compare two names for the code at `va`. Return a value below 0 if `a` is better. If the
	 * callback is NULL, names are compared by spelling alone.
	 */
	int (*compare_names)(const void *context, uint64_t va, struct cairn_bytes a,
	                     struct cairn_bytes b);
	const void *context;
};

int function_order_compare(const struct function_order *order, uint64_t va,
                           const struct function_rank *a, const struct function_rank *b);

/*
 * Maps source files to numbers that a writer assigns on demand. The numbers apply to one file table
 * and are discarded when a function refers to another table.
 */

#define FILE_MAP_NONE UINT32_MAX

struct file_map {
	/*
	 * file table that the numbers apply to; `set` tells it from a later table at the same
	 * address
	 */
	const struct function_file *files;
	uint64_t set;
	uint32_t *number; /* number assigned to each file, or FILE_MAP_NONE */
	size_t count, capacity;
};

/*
 * Switch to the file table of `function`. number[] then has an element for each file, and always
 * one for file 0. If the function does not refer to any file, the map is unchanged, so that
 * assigned numbers are not discarded. Return false if allocation fails.
 */
bool file_map_begin(struct file_map *map, const struct function *function);
void file_map_finish(struct file_map *map);

#endif
