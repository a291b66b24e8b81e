/* SPDX-License-Identifier: MIT */
/*
 * Keeps copies of functions that a reader passes to a sink, and finds the function and chain of
 * inlined calls at an address. Strings are not copied.
 *
 * Pass function_table_sink() to a reader, then call function_table_sort(),
 * then function_table_at().
 */
#ifndef CAIRN_SYMBOLS_LOOKUP_FUNCTION_TABLE_H
#define CAIRN_SYMBOLS_LOOKUP_FUNCTION_TABLE_H

#include "model/function.h"

/*
 * Maximum number of locations at one address: the function and its inlined calls. Deeper calls
 * are omitted.
 */
enum { KEPT_LOCATIONS_MAX = 513 };

/* A line table row. Rows 4 GiB or more after the start of their function are not kept. */
struct kept_row {
	uint32_t offset;
	uint32_t file, line;
};

struct table_function {
	struct cairn_range range;
	uint64_t reach; /* highest end of this and all previous functions */
	struct cairn_bytes name;
	enum function_provenance source;
	uint32_t order;
	uint32_t row, rows, call, calls;
	/* indices of the first range and file; file numbers count from first_file */
	uint32_t first_range, first_file;
	uint32_t columns; /* index + 1 of the columns of its rows; 0 without columns */
};

struct function_table {
	/*
	 * Grows arrays like array_grow(), for an owner that limits memory; NULL to use
	 * array_grow(). Set before the first function.
	 */
	bool (*grow)(void *context, void *array, size_t *room, size_t need, size_t size);
	void *context;
	/* the last of several functions with the same range wins, whatever the order says */
	bool last_counts;
	struct table_function *function;
	size_t count, room, sorted; /* `sorted`: number of functions that are sorted */
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
	/* the files copied most recently, to recognize the same array */
	const struct function_file *last_files;
	uint64_t last_set;
	size_t last_first, last_count;
};

static inline uint32_t function_table_column(const struct function_table *kept,
                                             const struct table_function *function, size_t row)
{
	return function->columns ? kept->column[function->columns - 1 + row] : 0;
}

static inline bool function_table_has_same_range(const struct table_function *a,
                                                 const struct table_function *b)
{
	return a->range.low == b->range.low && a->range.high == b->range.high;
}

/*
 * Return a sink that keeps functions. The sink also returns NO_MEMORY if `grow` refuses, or if the
 * number of elements in an array would exceed 32 bits.
 */
struct function_sink function_table_sink(struct function_table *kept);

/* Remove all functions, keeping the memory for reuse. */
void function_table_clear(struct function_table *kept);
void function_table_close(struct function_table *kept);

/* Free spare capacity. Call after the last function. */
void function_table_shrink(struct function_table *kept);

/* Sort the functions. Call after the last function and before the first search. */
void function_table_sort(struct function_table *kept);

/*
 * Return the function that holds `va`, or NULL. If several do, the one that begins last wins, then
 * the smallest. Of several with the same range the first by `order` wins or, if that is NULL, the
 * one that was kept first.
 */
const struct table_function *function_table_at(const struct function_table *kept, uint64_t va,
                                               const struct function_order *order);

/*
 * Like function_table_at(), for functions that were kept in order of preference. A function without
 * a size extends to the next function.
 */
const struct table_function *function_table_reaching(const struct function_table *kept,
                                                     uint64_t va);

/* Iterates over the locations of an address in a function. */
struct kept_lookup {
	const struct function_table *kept;
	const struct table_function *function;
	uint64_t va;
	uint32_t file, line, column;
	uint32_t depth; /* depth of the next location; KEPT_LOCATIONS_MAX at the end */
	const struct function_inline *call[KEPT_LOCATIONS_MAX - 1]; /* outermost first */
};

void kept_lookup_begin(struct kept_lookup *lookup, const struct function_table *kept,
                       const struct table_function *function, uint64_t va);
/* Like kept_lookup_begin(), without inlined calls. */
void kept_lookup_place(struct kept_lookup *lookup, const struct function_table *kept,
                       const struct table_function *function, uint64_t va);
/* Return the next location, innermost first. Returns false after the function itself. */
bool kept_lookup_next(struct kept_lookup *lookup, struct cairn_location *location);

/* Write the locations of `va` in the function, innermost first, and return their number. */
size_t function_table_locate(const struct function_table *kept,
                             const struct table_function *function, uint64_t va,
                             struct cairn_location locations[KEPT_LOCATIONS_MAX]);

/* Add the ranges of all functions that touch `near`. Returns false if memory is short. */
bool function_table_list(const struct function_table *kept, struct cairn_range near,
                         struct cairn_range **range, size_t *count, size_t *room);

/*
 * Pass the sorted functions to `sink`, the first of each range. Returns CAIRN_OK, NO_MEMORY, or the
 * sink's status.
 */
CAIRN_MUST_USE enum cairn_status function_table_give(const struct function_table *kept,
                                                     const struct function_sink *sink);

/*
 * An index of the inlined calls of one kept function, for callers that look up many of its
 * addresses. Without it, each lookup visits all calls of the function.
 *
 *	if (!call_index_make(&index, kept, function))
 *		return CAIRN_NO_MEMORY;
 *	kept_lookup_begin_by(&lookup, &index, kept, function, va);
 *	...
 *	call_index_free(&index);
 */

/* An address where a call inlined directly into `around` begins or ends. */
struct call_edge {
	uint64_t va;
	uint32_t around; /* 1-based index of the enclosing call; 0 for the function itself */
	/* 1-based index of the call that is active up to the next edge; 0 for none */
	uint32_t call;
	uint32_t unowned; /* used while building: next edge, from this one on, without a call */
};

/* Zero-initialize before the first use. */
struct call_index {
	struct call_edge *edge; /* sorted by `around`, then by address */
	size_t edges, edge_room;
	uint32_t *around; /* the enclosing call of each call */
	size_t around_room;
};

/* Index `function`, replacing the previous contents. Returns false if memory is short. */
bool call_index_make(struct call_index *index, const struct function_table *kept,
                     const struct table_function *function);
void call_index_free(struct call_index *index);

/*
 * Begin a lookup like kept_lookup_begin(), with the same results. `function` must be the one that
 * was indexed.
 */
void kept_lookup_begin_by(struct kept_lookup *lookup, const struct call_index *index,
                          const struct function_table *kept, const struct table_function *function,
                          uint64_t va);

#endif
