/* SPDX-License-Identifier: MIT */
/*
 * All registered functions by address. The address space is divided into windows; a function
 * belongs to the window in which it begins. Each non-empty window has a sorted array of functions.
 * Removed functions stay in the index while debuggers have copies, so that a new function at the
 * same addresses is detected.
 */
#ifndef CAIRN_JIT_PRODUCER_LIST_INDEX_H
#define CAIRN_JIT_PRODUCER_LIST_INDEX_H

#include "jit_producer/object/object.h"

/* Add a function, which must not overlap another one. Returns false if memory is short. */
CAIRN_JIT_INTERNAL bool cairn_jit_index_insert(struct cairn_jit_code *code);
CAIRN_JIT_INTERNAL void cairn_jit_index_erase(struct cairn_jit_code *code);

/* Return a function that overlaps the addresses, or NULL. */
CAIRN_JIT_INTERNAL struct cairn_jit_code *cairn_jit_index_overlap(uint64_t start, uint64_t end);

/* The neighbours of a function in the index; NULL if none is near. */
struct cairn_jit_beside {
	struct cairn_jit_code *before, *after;
};
CAIRN_JIT_INTERNAL struct cairn_jit_beside cairn_jit_index_beside(
	const struct cairn_jit_code *code);

/*
 * Drop a removed function from the index if no copy exists, and free it if the program has no
 * handle.
 */
CAIRN_JIT_INTERNAL void cairn_jit_code_settle(struct cairn_jit_code *code);

#endif
