/* SPDX-License-Identifier: MIT */
/*
 * One function of a program, as a reader of debugging information (DWARF, symbol tables, Breakpad,
 * GSYM, symbfile) passes it to the writer of a symbol format. Every reader fills the same struct,
 * so that every writer accepts every input.
 *
 * A reader hands over one function at a time:
 *
 *	status = sink->take(sink->context, &function);
 *
 * The struct and its arrays are borrowed during that call. Strings live longer, until the reader is
 * closed, and the same pointer means the same string: a writer may identify strings by their
 * address. File numbers belong to one unit: as long as `files` is the same pointer and `file_set`
 * the same number, a file number means the same file. The pointer alone is not enough because
 * readers reuse memory.
 *
 * A reader guarantees the following, so that no writer has to check it:
 * - rows ascend and lie inside the function, and the first one is at its start if there are any;
 *   there is one row per address unless the caller requested every row, and then the last row of an
 *   address is the one that its instruction belongs to; a stretch without line information has a
 *   row with file 0 and line 0 (a row with a line but file 0 has an unknown file);
 * - inlined calls are in pre-order, their ranges ascend, do not overlap, are not empty, and lie
 *   inside the ranges of the enclosing call;
 * - start + size does not wrap, and file numbers are below `file_count`.
 *
 * Functions come in any order, may overlap, and may come twice.
 */
#ifndef CAIRN_MODEL_FUNCTION_H
#define CAIRN_MODEL_FUNCTION_H

#include <cairn.h>

#include <stddef.h>

/*
 * A source file; cairn_location_path() joins both parts. Entry 0 of a unit's files is empty and
 * stands for an unknown file.
 */
struct function_file {
	struct cairn_bytes directory, name;
};

/* A row applies up to the next row, the last one up to the function's end. */
struct function_row {
	uint64_t va;
	uint32_t file, line; /* line 0: unknown */
	bool statement; /* a statement begins here; debuggers set breakpoints only on such rows */
	bool prologue_end;
	/* other variable scope than the previous row: breakpoints get two locations */
	bool apart;
	uint32_t column; /* 0: unknown or not requested */
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
 * Rust linkage names do not show the path by which debuggers know a function of a trait or a
 * generic function. A reader that knows the path stores it behind the last byte of the name, after
 * a NUL and FUNCTION_PATH_MARK:
 *
 *	_ZN...speak17h0123456789abcdefE 0 1 trait_demo::{impl#1}::speak
 */
enum { FUNCTION_PATH_MARK = 1, FUNCTION_PATH_GAP = 2 };

static inline struct cairn_bytes function_path(struct cairn_bytes name, uint32_t size)
{
	return (struct cairn_bytes){ name.data + name.size + FUNCTION_PATH_GAP, size };
}

struct function_inline {
	uint32_t depth; /* 1: inlined into the function itself, 2: into the call before it, ... */
	uint32_t range, ranges; /* first index in the function's `range`; how many (at least 1) */
	/* location of the call in the enclosing function; 0: unknown, or column not requested */
	uint32_t call_file, call_line, call_column;
	struct cairn_bytes name;
	/* entry address, perhaps in another part of the function; 0: start of the first range */
	uint64_t entry;
	uint32_t path_size; /* size of its function_path(); 0 if it has no path */
};

/*
 * Set around[i] to the number (from 1) of the call that encloses call i, or to 0 if the function
 * itself encloses it. `inlines` is in pre-order.
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
	/* distance from the function's start to the instruction after the call */
	uint64_t return_offset;
	uint8_t flags; /* GSYM flags: 1 internal, 2 external, 0 unknown */
	/* regular expressions that match names of possible callees */
	const struct cairn_bytes *callee;
	uint32_t callees;
};

/* Source of a function, best first. */
enum function_provenance {
	FUNCTION_DEBUG, /* DWARF or another format with line information */
	FUNCTION_SYMBOL,
};

struct function {
	uint64_t start, size;    /* va; size 0: unknown to the reader */
	struct cairn_bytes name; /* linkage (mangled) name; may be empty */
	enum function_provenance source;

	const struct function_file *files;
	uint64_t file_set; /* counts the changes of `files`; always 0 if the table never changes */
	uint32_t file_count;

	const struct function_row *rows;
	size_t row_count;
	/*
	 * part of a split function; an inlined call that continues in another part keeps its
	 * `entry` there and has no other
	 */
	bool parted;
	/* rows carry statement and prologue flags; otherwise the flags are meaningless */
	bool statements;
	const struct cairn_range *range; /* ranges of all inlined calls */
	const struct function_inline *inlines;
	size_t inline_count;
	const struct function_call *calls;
	size_t call_count;
	uint32_t path_size; /* size of its function_path(); 0 if it has no path */
};

/* Callback for functions. Any result but CAIRN_OK stops the reader, which returns it. */
struct function_sink {
	enum cairn_status (*take)(void *context, const struct function *function);
	void *context;
};

/*
 * Decides which of several functions with the same range names its addresses, both in a written
 * file and in an answer. In this order, prefer the function from debugging information, the
 * function with a name, the better name (by the caller's comparison, otherwise by
 * name_order_compare()), and the function with lines. If two functions are equal in all of this,
 * the caller takes the first one.
 */

struct function_rank {
	struct cairn_bytes name; /* may be empty */
	enum function_provenance source;
	bool has_lines;
};

struct function_order {
	/*
	 * Compare two names of the code at `va`; below 0 if `a` is better. NULL: compare only their
	 * spelling.
	 */
	int (*compare_names)(const void *context, uint64_t va, struct cairn_bytes a,
	                     struct cairn_bytes b);
	const void *context;
};

int function_order_compare(const struct function_order *order, uint64_t va,
                           const struct function_rank *a, const struct function_rank *b);

/*
 * Maps the source files that functions name to numbers that a writer assigns on demand. The numbers
 * are valid for one file table and are forgotten when a function comes with another one.
 */

#define FILE_MAP_NONE UINT32_MAX /* file without a number so far */

struct file_map {
	const struct function_file *files; /* identity of the file table, with `set` */
	uint64_t set;
	uint32_t *number; /* number that the writer assigned, or FILE_MAP_NONE */
	size_t count, room;
};

/*
 * Switch to the file table of `function`. number[] then has an entry for each file, and always one
 * for file 0. A function that names no file leaves the map alone, so that it does not discard the
 * numbers. Return false if allocation fails.
 */
bool file_map_begin(struct file_map *map, const struct function *function);
void file_map_finish(struct file_map *map);

#endif
