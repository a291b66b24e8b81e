/* SPDX-License-Identifier: MIT */
/* A function of a Go program while it is read. */
#ifndef CAIRN_SYMBOLS_SOURCES_GO_GO_PARTS_H
#define CAIRN_SYMBOLS_SOURCES_GO_GO_PARTS_H

#include "go.h"

#include "base/allowance.h"
#include "base/array_grow.h"
#include "base/table/number_map.h"

enum {
	GO_LEVELS_MAX = 512, /* inlined calls around one instruction; compilers stay below 100 */
	GO_WORK_TIMES = 1,   /* steps for each byte of the table; programs take half a one */
	GO_WORK_LEAST = 1 << 18, /* for small tables */
	GO_FILES_MAX = 1 << 20,
};

/* Code of one file, line, and inlined call. */
struct go_piece {
	uint64_t low, high;
	int32_t file, line, inlined;
};

struct go_pieces {
	struct go_piece *piece;
	size_t count, room;
};

/* A call that was inlined; its number counts from 1, and 0 is the function itself. */
struct go_node {
	int32_t index; /* in the inline tree */
	uint32_t parent, next, child, last_child;
	uint32_t range, last_range; /* numbers + 1 */
	uint32_t ranges, depth;
	uint32_t call_file, call_line;
	struct cairn_bytes name;
};

struct go_range {
	uint64_t low, high;
	uint32_t next;
};

struct go_inlines {
	struct go_node *node; /* the first is the function */
	size_t nodes, node_room;
	uint32_t *of_index; /* the node of each index of the inline tree */
	size_t indices, index_room;
	struct go_range *range;
	size_t ranges, range_room;
	struct function_inline *call;
	size_t calls, call_room;
	struct cairn_range *flat;
	size_t flats, flat_room;
	bool damaged;
};

struct go_files {
	struct function_file *file; /* the first is none */
	size_t count, room;
	struct number_map map; /* from the address of a path in memory */
};

struct go_functions {
	const struct go_program *program;
	struct go_files files;
	struct go_pieces pieces;
	struct go_inlines inlines;
	struct function_row *row;
	size_t rows, row_room;
	struct allowance work; /* steps */
	uint64_t damaged;
};

/* Sets functions->files; false when memory is short. */
bool go_functions_read_files(struct go_functions *functions);

/* The number of the file in functions->files; 0: it is none of them. */
uint32_t go_functions_file(const struct go_functions *functions,
                           const struct gopclntab_function *function, int32_t value);

/* Takes steps off; false when there are none left. */

/* Makes inlines->call and ->flat of the pieces; false when memory is short. */
bool go_inlines_read(struct go_functions *functions, const struct gopclntab_function *function);
void go_inlines_finish(struct go_inlines *inlines);

#endif
