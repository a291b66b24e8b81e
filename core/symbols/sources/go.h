/* SPDX-License-Identifier: MIT */
/*
 * The functions of a Go program, from the table that its runtime uses (symbols/sources/): names, lines,
 * inlined calls.
 *
 *	struct go_functions *functions = go_functions_new(&program);
 *	status = go_functions_read(functions, index, &sink);       for each index
 *	go_functions_free(functions);
 *
 * Texts are the program's own bytes.  Memory is bounded by the largest function, and 64 bytes for each file.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_GO_H
#define CAIRN_SYMBOLS_SOURCES_GO_H

#include "go_program.h"
#include "model/function.h"

enum {
	GO_WORK_TIMES = 1,       /* steps for each byte of the table; programs take half a one */
	GO_WORK_LEAST = 1 << 18, /* for small tables */
};

struct go_functions;

/* `program` is borrowed.  NULL when memory is short. */
struct go_functions *go_functions_new(const struct go_program *program);
void go_functions_free(struct go_functions *functions);

/*
 * Function number `index` of the table; nothing is given when its entry is damaged, or when reading the
 * others has taken all that a table of this size may take.  CAIRN_OK, NO_MEMORY, or what the sink returned.
 */
CAIRN_MUST_USE enum cairn_status go_functions_read(struct go_functions *functions, uint64_t index,
                                                   const struct function_sink *sink);

/*
 * The locations of an address, innermost first, at most `most`, which is at least 1; 0: no function covers it.  When
 * there are more inlined calls, the outermost locations are missing.
 */
size_t go_functions_find(struct go_functions *functions, uint64_t va, struct cairn_location *found,
                         size_t most);

/* How many were damaged, in whole or in part, and whether some were left out as above. */
uint64_t go_functions_damaged(const struct go_functions *functions);
bool go_functions_exhausted(const struct go_functions *functions);

#endif
