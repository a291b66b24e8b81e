/* SPDX-License-Identifier: MIT */
/*
 * Functions that a reader gave, copied so that they can be searched: which one holds an address, and which chain of
 * inlined calls is there.  Texts are not copied.
 *
 * Give kept_functions_sink() to a reader, call kept_functions_sort() when it is done, and then kept_functions_at().
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_KEPT_FUNCTIONS_H
#define CAIRN_DEBUGINFO_LOOKUP_KEPT_FUNCTIONS_H

#include "debuginfo/budget/budget.h"
#include "debuginfo/elf/aliases.h"
#include "model/function.h"

/* Locations of one address: a function, and the calls inlined there; deeper ones are left out. */
enum { KEPT_LOCATIONS_MAX = 513 };

struct kept_function {
	struct cairn_range range;
	uint64_t reach; /* the highest end of this one and those before it */
	struct cairn_bytes name;
	enum function_provenance source;
	size_t order; /* in which they came */
	size_t row, rows, call, calls;
	size_t first_range, first_file; /* numbers of files count from there */
};

struct kept_functions {
	struct budget *budget; /* set once, before the first function */
	struct kept_function *function;
	size_t count, room, sorted; /* sorted: so many are in their order */
	struct function_row *row;
	size_t rows, row_room;
	struct function_inline *call;
	size_t calls, call_room;
	struct cairn_range *range;
	size_t ranges, range_room;
	struct function_file *file;
	size_t files, file_room;
	const struct function_file *last_files; /* those that were copied last, and their number */
	uint64_t last_set;
	size_t last_first, last_count;
};

/* A sink that keeps functions; NO_MEMORY also means that the budget is used up. */
struct function_sink kept_functions_sink(struct kept_functions *kept);

/* Forgets all functions; the memory is used again. */
void kept_functions_clear(struct kept_functions *kept);
void kept_functions_close(struct kept_functions *kept);

/* After the last function, before the first search. */
void kept_functions_sort(struct kept_functions *kept);

/*
 * The function that holds the address: the one that begins last, of those the smallest, and of several of one range the
 * one that a GSYM file would have.  NULL: none.  `aliases` are the symbols at its start.
 */
const struct kept_function *kept_functions_at(const struct kept_functions *kept, uint64_t va,
                                              const struct aliases *aliases);

/* Writes the locations of an address in the function, innermost first, and returns how many. */
size_t kept_functions_locate(const struct kept_functions *kept,
                             const struct kept_function *function, uint64_t va,
                             struct cairn_location locations[KEPT_LOCATIONS_MAX]);

/* Adds the ranges of all functions that touch `near`.  False: memory is short. */
bool kept_functions_list(const struct kept_functions *kept, struct cairn_range near,
                         struct cairn_range **range, size_t *count, size_t *room);

#endif
