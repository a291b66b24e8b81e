/* SPDX-License-Identifier: MIT */
/* A Breakpad file while its functions are made. */
#ifndef CAIRN_SYMBOLS_SOURCES_BREAKPAD_BREAKPAD_PARTS_H
#define CAIRN_SYMBOLS_SOURCES_BREAKPAD_BREAKPAD_PARTS_H

#include "breakpad.h"

#include "base/allowance.h"
#include "base/nested_ranges.h"
#include "base/table/number_map.h"
#include "formats/breakpad/breakpad.h"

enum {
	/* More inlined calls around one address are left out; compilers stay below 100. */
	BREAKPAD_LEVELS_MAX = 512,
	/* Ranges of a file that cutting may make beyond those that are in it, and the bytes of it that are worth one more. */
	BREAKPAD_CUTS_LEAST = 1 << 16,
	BREAKPAD_CUTS_BYTES = 64,
	/* Bytes of names of inlined calls, each time that one is called, of small files, and times the file. */
	BREAKPAD_NAMES_LEAST = 1 << 16,
	BREAKPAD_NAMES_TIMES = 64,
};

struct breakpad_origin {
	struct cairn_bytes name;
	uint64_t file; /* as files[] has it, 0 for none; at first as in the record */
};

/* Files and names of inlined functions, by their numbers. */
struct breakpad_tables {
	struct function_file *file; /* the first is none */
	size_t files, file_room;
	struct number_map file_map;
	struct breakpad_origin *origin;
	size_t origins, origin_room;
	struct number_map origin_map;
	uint32_t unknown_file; /* named ?? */
};

/* A line record, clipped to its function. */
struct breakpad_line {
	uint64_t low, high;
	uint32_t line, file;
	uint32_t order; /* in the file: where lines overlap the first one counts */
};

/* The lines of one function. */
struct breakpad_lines {
	struct breakpad_line *line;
	size_t count, room;
	uint32_t *heap; /* see breakpad_lines.c */
	size_t heap_room;
	struct function_row *row;
	size_t rows, row_room;
	uint64_t covered;
};

/* A call that was inlined, in the order of the file. */
struct breakpad_call {
	uint32_t depth, line, origin;
	uint64_t file; /* as in the record */
	struct cairn_bytes ranges;
	uint32_t parent, next, child, last_child; /* numbers + 1; 0: none */
	struct nested_level level;
};

/* The inlined calls of one function. */
struct breakpad_inlines {
	struct breakpad_call *call;
	size_t count, room;
	uint32_t *last; /* of each depth, the number + 1 of its last call; 0: none */
	size_t depths, last_room;
	uint32_t last_outer; /* number + 1 of the last call of depth 0 */
	struct nested_ranges ranges;
	size_t told; /* ranges in the file, so far */
	struct function_inline *inlined;
	size_t inlines, inline_room;
	uint32_t outer_file; /* of calls in the function itself */
	uint64_t outside, cut;
	struct allowance spare; /* ranges that cutting makes */
	struct allowance names; /* bytes */
};

/* What the functions of inlines and lines need to know. */
struct breakpad_function {
	uint64_t base; /* of the module */
	uint64_t low, high;
	const struct breakpad_tables *tables;
	const struct breakpad_lines *lines;
};

/* `tables` are zeros, and finished by the caller whatever comes out. */
enum cairn_status breakpad_tables_init(struct breakpad_tables *tables, struct cairn_bytes bytes,
                                       struct polling *polling);
void breakpad_tables_finish(struct breakpad_tables *tables);

/* The file of a record; 0 when it was never defined. */
uint32_t breakpad_file_index(const struct breakpad_tables *tables, uint64_t number);
/* NULL when it was never defined. */
const struct breakpad_origin *breakpad_origin(const struct breakpad_tables *tables,
                                              uint32_t number);

/* The rows of the lines added since the last time; false when memory is short. */
bool breakpad_lines_add(struct breakpad_lines *lines, struct breakpad_line line);
bool breakpad_lines_flatten(struct breakpad_lines *lines, uint64_t low, uint64_t high);
void breakpad_lines_finish(struct breakpad_lines *lines);

/* Is there a call for it to be in?  Asked before one is added. */
bool breakpad_inlines_has_place(const struct breakpad_inlines *inlines, uint32_t depth);
bool breakpad_inlines_add(struct breakpad_inlines *inlines, const struct breakpad_record *record);
/* Begins with a file of this size; the rest of `inlines` are zeros. */
void breakpad_inlines_init(struct breakpad_inlines *inlines, uint64_t file_size);
/* To inlines->inlined[], in pre-order; false when memory is short. */
bool breakpad_inlines_order(struct breakpad_inlines *inlines,
                            const struct breakpad_function *function);
void breakpad_inlines_clear(struct breakpad_inlines *inlines);
void breakpad_inlines_finish(struct breakpad_inlines *inlines);

#endif
