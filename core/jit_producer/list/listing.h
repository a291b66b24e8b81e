/* SPDX-License-Identifier: MIT */
/*
 * The list of objects that debuggers read, and the events of GDB's JIT interface. The process may
 * have other users of the interface. They share the list and do not take this library's lock.
 */
#ifndef CAIRN_JIT_PRODUCER_LIST_LISTING_H
#define CAIRN_JIT_PRODUCER_LIST_LISTING_H

#include "jit_producer/object/object.h"

/* Behave as if a debugger were always attached. */
CAIRN_JIT_INTERNAL void cairn_jit_listing_force(void);

/*
 * Return true if a debugger waits for events. It has then set a breakpoint on the empty function
 * that an event calls, which a single load detects.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_listing_watched(void);

/* Add an object to the list, or remove it, without an event. */
CAIRN_JIT_INTERNAL void cairn_jit_listing_add(struct cairn_jit_object *object);
CAIRN_JIT_INTERNAL void cairn_jit_listing_drop(struct cairn_jit_object *object);

/* Add an object, or remove it, and notify the debugger. */
CAIRN_JIT_INTERNAL void cairn_jit_listing_tell_added(struct cairn_jit_object *object);
CAIRN_JIT_INTERNAL void cairn_jit_listing_tell_dropped(struct cairn_jit_object *object);

#endif
