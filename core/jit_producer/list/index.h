/* SPDX-License-Identifier: MIT */
/*
 * All registered functions by their addresses.  The address space is divided into windows; a function belongs to the one in which it
 * begins.  A window that has functions has them in the order of their addresses.  Functions of which debuggers have a copy stay here
 * when they are gone, so that a new function in their place is noticed.
 */
#ifndef CAIRN_JIT_PRODUCER_LIST_INDEX_H
#define CAIRN_JIT_PRODUCER_LIST_INDEX_H

#include "jit_producer/object/object.h"

/* Puts a function in, which covers no address of another one.  False: memory is short. */
CAIRN_JIT_INTERNAL bool cairn_jit_index_insert(struct cairn_jit_code *code);
CAIRN_JIT_INTERNAL void cairn_jit_index_erase(struct cairn_jit_code *code);

/* A function that covers some of these addresses, or NULL. */
CAIRN_JIT_INTERNAL struct cairn_jit_code *cairn_jit_index_overlap(uint64_t start, uint64_t end);

/* The functions beside one that is here; NULL: none that is near. */
struct cairn_jit_beside {
	struct cairn_jit_code *before, *after;
};
CAIRN_JIT_INTERNAL struct cairn_jit_beside cairn_jit_index_beside(
	const struct cairn_jit_code *code);

/* Takes a function that is gone out of the index, if nobody has a copy, and frees it, if the program has no handle. */
CAIRN_JIT_INTERNAL void cairn_jit_code_settle(struct cairn_jit_code *code);

#endif
