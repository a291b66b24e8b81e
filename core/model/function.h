/* SPDX-License-Identifier: MIT */
/*
 * One function of a program, as it passes from whoever reads debugging information (DWARF, symbol
 * tables, Breakpad, GSYM, symbfile) to whoever writes a symbol format.  Every reader gives the same
 * struct, so that every writer takes every input.
 *
 * A reader hands over one function at a time:
 *
 *	status = sink->take(sink->context, &function);
 *
 * All of it is lent during that call.  Texts live longer, until the reader is closed, and the same
 * pointer means the same text: a writer may remember texts by their address.  Files are those of
 * one unit: as long as `files` is the same pointer and `file_set` the same number, a file's number
 * means the same file.  The pointer alone does not show it: readers use memory again.
 *
 * What the reader has seen to, so that no writer has to:
 * - rows ascend, all inside the function, and the first is at its start when there are any; there
 *   is one for each address, but when every row was asked for, and then the last one of an address
 *   has what its instruction belongs to; a piece that nothing is known of has a row with file 0
 *   and line 0 (a line with file 0 is one whose file is not known);
 * - inlined calls come in pre-order, their ranges ascend, do not overlap, are not empty, and are
 *   inside those of the call around them;
 * - start + size does not wrap, and numbers of files are below `file_count`.
 * Functions come in any order, may overlap, and may come twice.
 */
#ifndef CAIRN_MODEL_FUNCTION_H
#define CAIRN_MODEL_FUNCTION_H

#include <cairn.h>

/* Joined by cairn_location_path(); entry 0 of a unit's files is empty and means none. */
struct function_file {
	struct cairn_bytes directory, name;
};

/* Holds up to the next row, the last up to the function's end. */
struct function_row {
	uint64_t va;
	uint32_t file, line; /* line 0: not known */
	bool statement;      /* one begins here; debuggers stop nowhere else */
	bool prologue_end;   /* a breakpoint on the function stops here */
	bool apart; /* in another scope of variables than the line before: it has two breakpoints */
	uint32_t column; /* 0: not known, or not asked for */
};

/* It continues what the last of `count` rows states. */
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
 * Linkage names of Rust do not show by which path debuggers know a function of a trait or of generic code.  Where a
 * reader knows that path, it is in the text of the name, behind its last byte, a NUL and FUNCTION_PATH_MARK:
 *
 *	_ZN...speak17h0123456789abcdefE 0 1 trait_demo::{impl#1}::speak
 */
enum { FUNCTION_PATH_MARK = 1, FUNCTION_PATH_GAP = 2 };

/* The path of `size` bytes of such a name. */
static inline struct cairn_bytes function_path(struct cairn_bytes name, uint32_t size)
{
	return (struct cairn_bytes){ name.data + name.size + FUNCTION_PATH_GAP, size };
}

/* A call that was inlined. */
struct function_inline {
	uint32_t depth; /* 1: into the function itself, 2: into the call before it, ... */
	uint32_t range,
		ranges; /* its first one in the function's `range`, and how many, at least 1 */
	/* where the function around it calls; 0: not known, and of the column also: not asked for */
	uint32_t call_file, call_line, call_column;
	struct cairn_bytes name; /* may be empty */
	uint64_t entry; /* where it is entered, perhaps in another part of the function; 0: where
	                   its first range is */
	uint32_t path_size; /* of its function_path(); 0: none */
};

/* What is around each of the calls, which are in pre-order: the number of a call, from 1; 0: the function itself. */
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

/* A call that is still one. */
struct function_call {
	uint64_t return_offset; /* from the function's start to the instruction after the call */
	uint8_t flags;          /* as GSYM has them: 1 internal, 2 external, 0 not known */
	const struct cairn_bytes *callee; /* regular expressions for the names that it may have */
	uint32_t callees;
};

/* What a function is known from, the better one first. */
enum function_provenance {
	FUNCTION_DEBUG, /* DWARF or another format that knows lines */
	FUNCTION_SYMBOL,
};

struct function {
	uint64_t start, size;    /* va; size 0: the reader does not know it */
	struct cairn_bytes name; /* as the linker knows it, mangled; may be empty */
	enum function_provenance source;

	const struct function_file *files;
	uint64_t file_set; /* counts what the reader has put there; 0 where it never changes */
	uint32_t file_count;

	const struct function_row *rows;
	size_t row_count;
	bool parted; /* one of several parts of a function; a call that goes on in another part has its
	                entry there, and only that */
	bool statements; /* rows know statements and prologues; else nothing is known of them */
	const struct cairn_range *range; /* of all inlined calls */
	const struct function_inline *inlines;
	size_t inline_count;
	const struct function_call *calls;
	size_t call_count;
	uint32_t path_size; /* of its function_path(); 0: none */
};

/* Takes functions.  Anything but CAIRN_OK ends the reading, and is its outcome. */
struct function_sink {
	enum cairn_status (*take)(void *context, const struct function *function);
	void *context;
};

#endif
