/* SPDX-License-Identifier: MIT */
/* Makes one object of the functions of others, and lets objects grow. */
#ifndef CAIRN_JIT_PRODUCER_LIST_GATHER_H
#define CAIRN_JIT_PRODUCER_LIST_GATHER_H

#include "index.h"

/* What a function needs that goes into a new run. */
CAIRN_JIT_INTERNAL struct cairn_jit_need cairn_jit_need_one(const struct cairn_jit_facts *facts);

/* Makes the need that of `slots` functions which are like these on average; less where that would be much memory. */
CAIRN_JIT_INTERNAL void cairn_jit_need_scale(struct cairn_jit_need *need, uint32_t slots);

/* The run of the object that the function belongs to, by the functions beside it. */
CAIRN_JIT_INTERNAL uint32_t cairn_jit_find_run(const struct cairn_jit_object *object,
                                               const struct cairn_jit_code *code);

/*
 * An object of all functions of these; their codes then refer to it.  NULL: memory is short, and nothing happened.  *apart: no run of it begins
 * where one of theirs does, because a byte between two functions was there to begin with.
 */
CAIRN_JIT_INTERNAL struct cairn_jit_object *cairn_jit_gather(struct cairn_jit_object **objects,
                                                             uint32_t count, bool *apart);

/*
 * Makes the object anew without the functions that are gone, with room for `more` besides (NULL: none) and for `slots`
 * functions altogether.  False: memory is short, and nothing happened.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_rebuild(struct cairn_jit_object *object,
                                          const struct cairn_jit_need *more, uint32_t slots);

/* Frees an object that is in no list any more; functions of it that are gone are in none then. */
CAIRN_JIT_INTERNAL void cairn_jit_discard(struct cairn_jit_object *object);

#endif
