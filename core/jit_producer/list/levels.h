/* SPDX-License-Identifier: MIT */
/* Objects that debuggers were told of, by how many functions they have: 32 of one level become one. */
#ifndef CAIRN_JIT_PRODUCER_LIST_LEVELS_H
#define CAIRN_JIT_PRODUCER_LIST_LEVELS_H

#include "jit_producer/object/object.h"

/* Tells of a new object, which may become a part of a larger one. */
CAIRN_JIT_INTERNAL void cairn_jit_levels_add(struct cairn_jit_object *object);

/*
 * May an object be told of before those whose place it takes are forgotten, though a section of both begins at one address?  If no two do, any debugger
 * takes it, and no function is ever unknown to it.
 */
CAIRN_JIT_INTERNAL void cairn_jit_levels_overlap(bool may);

/* The object is not merged any more. */
CAIRN_JIT_INTERNAL void cairn_jit_levels_take(const struct cairn_jit_object *object);

/* Tells that the object is to be forgotten, and frees it. */
CAIRN_JIT_INTERNAL void cairn_jit_levels_drop(struct cairn_jit_object *object);

/* Tells to forget the object, which is freed, and of another one without the functions that are gone. */
CAIRN_JIT_INTERNAL void cairn_jit_levels_renew(struct cairn_jit_object *object);

#endif
