/* SPDX-License-Identifier: MIT */
/* Merges and rebuilds objects. */
#ifndef CAIRN_JIT_PRODUCER_LIST_GATHER_H
#define CAIRN_JIT_PRODUCER_LIST_GATHER_H

#include "index.h"

/* Return the space needed by a function in a new run. */
CAIRN_JIT_INTERNAL struct cairn_jit_need cairn_jit_need_one(const struct cairn_jit_facts *facts);

/*
 * Scale the need to `slots` functions of the same average size; to fewer if that takes much memory.
 */
CAIRN_JIT_INTERNAL void cairn_jit_need_scale(struct cairn_jit_need *need, uint32_t slots);

/* Return the run of the object that the function belongs to, according to its neighbours. */
CAIRN_JIT_INTERNAL uint32_t cairn_jit_find_run(const struct cairn_jit_object *object,
                                               const struct cairn_jit_code *code);

/*
 * Create an object with all functions of the given objects; their codes then refer to it. Returns
 * NULL, without changes, if memory is short. *apart is set if no run begins at the same address as
 * a run of the given objects, which requires an unused byte before each run.
 */
CAIRN_JIT_INTERNAL struct cairn_jit_object *cairn_jit_gather(struct cairn_jit_object **objects,
                                                             uint32_t count, bool *apart);

/*
 * Rebuild the object without removed functions, with space for `more` (may be NULL) and a total
 * capacity of `slots` functions. Returns false, without changes, if memory is short.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_rebuild(struct cairn_jit_object *object,
                                          const struct cairn_jit_need *more, uint32_t slots);

/* Free an object that is in no list. Its removed functions then belong to no object. */
CAIRN_JIT_INTERNAL void cairn_jit_discard(struct cairn_jit_object *object);

#endif
