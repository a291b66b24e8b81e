/* SPDX-License-Identifier: MIT */
/*
 * The list of objects that debuggers read, and what tells them of a change (GDB's JIT interface).  A program may have other users of
 * the interface, with whose list this one is one; they take no lock of ours.
 */
#ifndef CAIRN_JIT_PRODUCER_LIST_LISTING_H
#define CAIRN_JIT_PRODUCER_LIST_LISTING_H

#include "jit_producer/object/object.h"

/* From now on, act as if a debugger were always there. */
CAIRN_JIT_INTERNAL void cairn_jit_listing_force(void);

/*
 * Is a debugger there that waits for events?  It has put a breakpoint onto the empty function that an event calls, which costs one load
 * to see.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_listing_watched(void);

/* Puts an object into the list, or takes it out, and tells nobody. */
CAIRN_JIT_INTERNAL void cairn_jit_listing_add(struct cairn_jit_object *object);
CAIRN_JIT_INTERNAL void cairn_jit_listing_drop(struct cairn_jit_object *object);

/* Does the same, and tells the debugger. */
CAIRN_JIT_INTERNAL void cairn_jit_listing_tell_added(struct cairn_jit_object *object);
CAIRN_JIT_INTERNAL void cairn_jit_listing_tell_dropped(struct cairn_jit_object *object);

#endif
