/* SPDX-License-Identifier: MIT */
/*
 * The inlined calls of one kept function by address, for who looks many addresses of it up: kept_lookup_begin() goes
 * through all calls for each.
 *
 *	if (!call_index_make(&index, kept, function))
 *		return CAIRN_NO_MEMORY;
 *	kept_lookup_begin_by(&lookup, &index, kept, function, va);
 *	...
 *	call_index_free(&index);
 */
#ifndef CAIRN_SYMBOLS_FUNCTIONS_CALL_INDEX_H
#define CAIRN_SYMBOLS_FUNCTIONS_CALL_INDEX_H

#include "kept_functions.h"

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
