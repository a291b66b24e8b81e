/* SPDX-License-Identifier: MIT */
/* Registered objects by size: 32 objects of one level are merged. */
#ifndef CAIRN_JIT_PRODUCER_LIST_LEVELS_H
#define CAIRN_JIT_PRODUCER_LIST_LEVELS_H

#include "jit_producer/object/object.h"

/* Register a new object, which may be merged later. */
CAIRN_JIT_INTERNAL void cairn_jit_levels_add(struct cairn_jit_object *object);

/*
 * Set whether a merged object may be registered before the objects it replaces are unregistered
 * even if two of their sections begin at the same address. If no two sections do, all debuggers
 * accept this order, and no function is unknown to them at any time.
 */
CAIRN_JIT_INTERNAL void cairn_jit_levels_overlap(bool may);

/* Exclude the object from merging. */
CAIRN_JIT_INTERNAL void cairn_jit_levels_take(const struct cairn_jit_object *object);

CAIRN_JIT_INTERNAL void cairn_jit_levels_drop(struct cairn_jit_object *object);

/* Replace the registered object by one without removed functions. */
CAIRN_JIT_INTERNAL void cairn_jit_levels_renew(struct cairn_jit_object *object);

#endif
