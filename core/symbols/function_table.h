/* SPDX-License-Identifier: MIT */
/*
 * Stores functions that a reader passes to a sink, and finds the function and chain of inlined
 * calls at an address. Strings are not copied.
 *
 * Pass function_table_sink() to a reader, then call function_table_sort(), then
 * function_table_at().
 */
#ifndef CAIRN_SYMBOLS_FUNCTION_TABLE_H
#define CAIRN_SYMBOLS_FUNCTION_TABLE_H

#include "base/function.h"

/*
 * Maximum number of locations at one address: the function and its inlined calls. Calls nested more
 * deeply are omitted.
 */
enum { KEPT_LOCATIONS_MAX = 513 };

/* A line table row. Rows at offsets of 4 GiB or more in their function are omitted. */
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
	/*
	 * index of the function's first range; index of its first file, to which file numbers are
	 * relative
	 */
	uint32_t first_range, first_file;
	uint32_t columns; /* index, plus 1, of the first row's column; 0 if there are no columns */
};

struct function_table {
	/*
	 * Grows an array like array_grow(), for owners that limit memory. NULL selects
	 * array_grow(). Set before the first function.
	 */
	bool (*grow)(void *context, void *array, size_t *capacity, size_t need, size_t size);
	void *context;
	/*
	 * among functions with the same range, prefer the one added last, and ignore the `order`
	 * argument of function_table_at()
	 */
	bool last_counts;
	struct table_function *function;
	size_t count, capacity,
		sorted; /* `sorted`: number of functions at the front that are sorted */
	struct kept_row *row;
	size_t rows, row_capacity;
	uint32_t *column;
	size_t columns, column_capacity;
	struct function_inline *call;
	size_t calls, call_capacity;
	struct cairn_range *range;
	size_t ranges, range_capacity;
	struct function_file *file;
	size_t files, file_capacity;
	/* most recently copied array of files; many functions share one */
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
 * Return a sink that stores functions. The sink returns NO_MEMORY if `grow` fails or if an array
 * would exceed 2^32 elements.
 */
struct function_sink function_table_sink(struct function_table *kept);

void function_table_clear(struct function_table *kept);
void function_table_close(struct function_table *kept);

/* Free spare capacity. Call this after the last function has been added. */
void function_table_shrink(struct function_table *kept);

/*
 * Sort the functions. Call this after the last function has been added and before the first lookup.
 */
void function_table_sort(struct function_table *kept);

/*
 * Return the function that contains `va`, or NULL. If several do, the one that begins last wins,
 * then the smallest. Among functions with the same range, the first by `order` wins or, if `order`
 * is NULL, the one that was added first.
 */
const struct table_function *function_table_at(const struct function_table *kept, uint64_t va,
                                               const struct function_order *order);

/*
 * Find a function like function_table_at(), if functions have been added in order of preference. A
 * function without a size extends to the next function.
 */
const struct table_function *function_table_reaching(const struct function_table *kept,
                                                     uint64_t va);

struct kept_lookup {
	const struct function_table *kept;
	const struct table_function *function;
	uint64_t va;
	uint32_t file, line, column;
	uint32_t depth; /* depth of the next location; KEPT_LOCATIONS_MAX at the end */
	/* inlined calls at the address, outermost first */
	const struct function_inline *call[KEPT_LOCATIONS_MAX - 1];
};

void kept_lookup_begin(struct kept_lookup *lookup, const struct function_table *kept,
                       const struct table_function *function, uint64_t va);
/* Set *location to the next location, innermost first. Returns false after the function itself. */
bool kept_lookup_next(struct kept_lookup *lookup, struct cairn_location *location);

size_t function_table_locate(const struct function_table *kept,
                             const struct table_function *function, uint64_t va,
                             struct cairn_location locations[KEPT_LOCATIONS_MAX]);

/*
 * Append the ranges of all functions that overlap `near` to *range. Returns false if allocation
 * fails.
 */
bool function_table_list(const struct function_table *kept, struct cairn_range near,
                         struct cairn_range **range, size_t *count, size_t *capacity);

/*
 * Pass the first function of each distinct range to `sink`, in ascending order. Returns CAIRN_OK,
 * NO_MEMORY, or the status of the sink.
 */
CAIRN_MUST_USE enum cairn_status function_table_give(const struct function_table *kept,
                                                     const struct function_sink *sink);

/*
 * An index of one function's inlined calls, for callers that look up many of its addresses. Without
 * the index, each lookup visits all calls of the function.
 *
 *	if (!call_index_make(&index, kept, function))
 *		return CAIRN_NO_MEMORY;
 *	kept_lookup_begin_by(&lookup, &index, kept, function, va);
 *	...
 *	call_index_free(&index);
 */

/* Address where a call inlined directly into `around` begins or ends. */
struct call_edge {
	uint64_t va;
	uint32_t around; /* 1-based index of the enclosing call; 0 for the function itself */
	/* 1-based index of the call between this edge and the next; 0 if there is no call */
	uint32_t call;
	/* used while building: next edge, at or after this one, that is not inside a call */
	uint32_t unowned;
};

/* Zero-initialize before the first use. */
struct call_index {
	struct call_edge *edge; /* sorted by `around`, then by address */
	size_t edges, edge_capacity;
	/* 1-based index of the call around each call; 0 for the function itself */
	uint32_t *around;
	size_t around_capacity;
};

/*
 * Index the calls of `function`, replacing the previous contents. Returns false if allocation
 * fails.
 */
bool call_index_make(struct call_index *index, const struct function_table *kept,
                     const struct table_function *function);
void call_index_free(struct call_index *index);

/*
 * Begin a lookup with the same results as kept_lookup_begin(). `function` must be the indexed
 * function.
 */
void kept_lookup_begin_by(struct kept_lookup *lookup, const struct call_index *index,
                          const struct function_table *kept, const struct table_function *function,
                          uint64_t va);

#endif
