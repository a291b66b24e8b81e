/* SPDX-License-Identifier: MIT */
/*
 * Which function is in which object, and what debuggers are told of it.
 *
 * While no debugger is there, functions are appended to an object of the list, the growing one, which is followed by a next one when
 * it has many.  Nobody is told: a debugger that attaches reads the list.  Each change is made first, and only then is it asked whether
 * a debugger has come: one that came before the change has its breakpoint in place when the thread goes on, and one
 * that came after it has read the change.
 *
 * While a debugger is there, it has a copy of each object in the list, as the object was when it was told of it.  So these are not
 * changed any more, but unregistered, made anew and registered.  A new function, or a batch, is an object of its own; 16 objects
 * of like size become one, because the costs of each event grow with the number of objects.
 *
 * All of this is called under the lock of jit.c.
 */
#ifndef CAIRN_JIT_PRODUCER_LIST_ARRANGE_H
#define CAIRN_JIT_PRODUCER_LIST_ARRANGE_H

#include "index.h"

/* At the beginning of each change: looks whether a debugger came or went. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_begin(void);

/*
 * Puts a function, which the index has, into an object: the one of the batch with that number, or for 0 as it is best.  False: memory is
 * short, and it is in none.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_arrange_add(struct cairn_jit_code *code,
                                              const struct cairn_jit_facts *facts, uint64_t batch);

/* Takes a function out, which stays in the index as long as a debugger may have a copy of it. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_remove(struct cairn_jit_code *code);

/* Makes debuggers forget a function that is gone, because its addresses have a new one. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_forget(struct cairn_jit_code *code);

/* Ends the outermost batch. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_batch(uint64_t batch);

/* At the end of each change: tells a debugger that came meanwhile. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_end(void);

/* Tells of unfinished batches, without the lock. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_publish(void);

#endif
