/* SPDX-License-Identifier: MIT */
/*
 * Reads the functions of a Go program from the table that its runtime uses: names, lines and
 * inlined calls.
 *
 *	struct go_functions *functions = go_functions_new(&program);
 *	status = go_functions_read(functions, index, &sink);       for each index
 *	go_functions_free(functions);
 *
 * Strings are borrowed from the program. Memory use is bounded by the largest function plus 64
 * bytes per file.
 */
#ifndef CAIRN_SYMBOLS_GO_H
#define CAIRN_SYMBOLS_GO_H

#include "base/function.h"
#include "go_program.h"

enum {
	/* maximum number of steps per byte of the table; real programs need half a step */
	GO_WORK_TIMES = 1,
	/* number of steps allowed in addition to GO_WORK_TIMES per byte, for small tables */
	GO_WORK_LEAST = 1 << 18,
};

struct go_functions;

/* Create a reader that borrows `program`. Returns NULL if allocation fails. */
struct go_functions *go_functions_new(const struct go_program *program);
void go_functions_free(struct go_functions *functions);

/*
 * Pass the function with this index in the table to `sink`. Passes nothing if the function's entry
 * is damaged or the table's step limit is exhausted. Returns CAIRN_OK, NO_MEMORY, or the status of
 * the sink.
 */
CAIRN_MUST_USE enum cairn_status go_functions_read(struct go_functions *functions, uint64_t index,
                                                   const struct function_sink *sink);

/*
 * Return the number of damaged functions. go_functions_exhausted() returns true once the step limit
 * is exhausted.
 */
uint64_t go_functions_damaged(const struct go_functions *functions);
bool go_functions_exhausted(const struct go_functions *functions);

#endif
