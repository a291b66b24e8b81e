/* SPDX-License-Identifier: MIT */
/*
 * Functions that a reader gave, copied so that they can be searched: which one holds an address, and which chain of
 * inlined calls is there.  Texts are not copied.
 *
 * Give kept_functions_sink() to a reader, call kept_functions_sort() when it is done, and then kept_functions_at().
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_KEPT_FUNCTIONS_H
#define CAIRN_SYMBOLS_LOOKUP_KEPT_FUNCTIONS_H

#include "model/function_order.h"

/* Locations of one address: a function, and the calls inlined there; deeper ones are left out. */
enum { KEPT_LOCATIONS_MAX = 513 };

/* A row of a function; what is 4 GiB or more behind the start of its function has none. */
struct kept_row {
	uint32_t offset; /* from the function's start */
	uint32_t file, line;
};

struct kept_function {
	struct cairn_range range;
	uint64_t reach; /* the highest end of this one and those before it */
	struct cairn_bytes name;
	enum function_provenance source;
	uint32_t order; /* in which they came */
	uint32_t row, rows, call, calls;
	uint32_t first_range, first_file; /* numbers of files count from there */
	uint32_t columns; /* where those of its rows begin, from 1; 0: it has none */
};

struct kept_functions {
	/* array_grow() by an owner who counts memory; NULL: nobody counts.  Set once, before the first function. */
	bool (*grow)(void *context, void *array, size_t *room, size_t need, size_t size);
	void *context;
	bool last_counts; /* of functions with one range, not the one that comes first in an order */
	struct kept_function *function;
	size_t count, room, sorted; /* sorted: so many are in their order */
	struct kept_row *row;
	size_t rows, row_room;
	uint32_t *column;
	size_t columns, column_room;
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

/* The column of a row of the function; 0: not known. */
static inline uint32_t kept_function_column(const struct kept_functions *kept,
                                            const struct kept_function *function, size_t row)
{
	return function->columns ? kept->column[function->columns - 1 + row] : 0;
}

static inline bool kept_function_has_same_range(const struct kept_function *a,
                                                const struct kept_function *b)
{
	return a->range.low == b->range.low && a->range.high == b->range.high;
}

/* A sink that keeps functions; NO_MEMORY also means that the owner's `grow` refused, or that there are 2^32 of something. */
struct function_sink kept_functions_sink(struct kept_functions *kept);

/* Forgets all functions; the memory is used again. */
void kept_functions_clear(struct kept_functions *kept);
void kept_functions_close(struct kept_functions *kept);

/* Gives back the memory that no function needs, after the last one. */
void kept_functions_shrink(struct kept_functions *kept);

/* After the last function, before the first search. */
void kept_functions_sort(struct kept_functions *kept);

/*
 * The function that holds the address: the one that begins last, of those the smallest.  Of several of one range it is
 * the one that comes first by `order`, without that the one that was kept first.  NULL: none.
 */
const struct kept_function *kept_functions_at(const struct kept_functions *kept, uint64_t va,
                                              const struct function_order *order);

/*
 * The same among functions that were kept in the order of preference, where one without a size reaches up to the next
 * that begins.
 */
const struct kept_function *kept_functions_reaching(const struct kept_functions *kept, uint64_t va);

/* The locations of an address in a function, one by one. */
struct kept_lookup {
	const struct kept_functions *kept;
	const struct kept_function *function;
	uint64_t va;
	uint32_t file, line, column; /* of the next location */
	uint32_t depth;              /* of the next location; KEPT_LOCATIONS_MAX: there is none */
	const struct function_inline *call[KEPT_LOCATIONS_MAX - 1]; /* outermost first */
};

void kept_lookup_begin(struct kept_lookup *lookup, const struct kept_functions *kept,
                       const struct kept_function *function, uint64_t va);
/* The same without the calls: the function and its line there. */
void kept_lookup_place(struct kept_lookup *lookup, const struct kept_functions *kept,
                       const struct kept_function *function, uint64_t va);
/* The next one outwards, innermost first; false after the function itself. */
bool kept_lookup_next(struct kept_lookup *lookup, struct cairn_location *location);

/* Writes the locations of an address in the function, innermost first, and returns how many. */
size_t kept_functions_locate(const struct kept_functions *kept,
                             const struct kept_function *function, uint64_t va,
                             struct cairn_location locations[KEPT_LOCATIONS_MAX]);

/* Adds the ranges of all functions that touch `near`.  False: memory is short. */
bool kept_functions_list(const struct kept_functions *kept, struct cairn_range near,
                         struct cairn_range **range, size_t *count, size_t *room);

/* Hands over the sorted functions, the first of each range.  CAIRN_OK, NO_MEMORY, or what the sink returned. */
CAIRN_MUST_USE enum cairn_status kept_functions_give(const struct kept_functions *kept,
                                                     const struct function_sink *sink);

/*
 * An index of the inlined calls of one kept function, for callers who look up many of its addresses: kept_lookup_begin()
 * visits all calls for each.
 *
 *	if (!call_index_make(&index, kept, function))
 *		return CAIRN_NO_MEMORY;
 *	kept_lookup_begin_by(&lookup, &index, kept, function, va);
 *	...
 *	call_index_free(&index);
 */

/* Where something begins or ends that is called by `around`. */
struct call_edge {
	uint64_t va;
	uint32_t around;  /* a call, counted from 1; 0: the function itself */
	uint32_t call;    /* the one that is there up to the next edge, counted from 1; 0: none */
	uint32_t unowned; /* while it is made: the next edge, from this on, that has no call yet */
};

/* All zero before the first use. */
struct call_index {
	struct call_edge *edge; /* by `around`, then by address */
	size_t edges, edge_room;
	uint32_t *around; /* for each call */
	size_t around_room;
};

/* Makes the index of a function in place of that of the one before; false: memory is short. */
bool call_index_make(struct call_index *index, const struct kept_functions *kept,
                     const struct kept_function *function);
void call_index_free(struct call_index *index);

/* As kept_lookup_begin(), with the same locations, for the function that the index is of. */
void kept_lookup_begin_by(struct kept_lookup *lookup, const struct call_index *index,
                          const struct kept_functions *kept, const struct kept_function *function,
                          uint64_t va);

#endif
