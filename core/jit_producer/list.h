/* SPDX-License-Identifier: MIT */
/*
 * The list of objects that debuggers read, and the events of GDB's JIT interface. Other libraries
 * in the process may use the same list without taking this library's lock.
 */
#ifndef CAIRN_JIT_PRODUCER_LIST_H
#define CAIRN_JIT_PRODUCER_LIST_H

#include "jit_producer/memory.h"
#include "jit_producer/object.h"

CAIRN_JIT_INTERNAL void cairn_jit_listing_force(void);

/*
 * An index of all registered functions by address. The address space is divided into windows, and
 * each non-empty window has a sorted array of the functions that begin in it. Removed functions
 * stay in the index while debuggers have copies, so that a new function at the same addresses is
 * detected.
 */

CAIRN_JIT_INTERNAL bool cairn_jit_index_insert(struct cairn_jit_code *code);
CAIRN_JIT_INTERNAL void cairn_jit_index_erase(struct cairn_jit_code *code);

CAIRN_JIT_INTERNAL struct cairn_jit_code *cairn_jit_index_overlap(uint64_t start, uint64_t end);

/*
 * Write the CIE and the FDE of the function at `pc` to the buffer, and return their size. Returns 0
 * if there is no such function, it has no frame, or the buffer is too small. Async-signal-safe; all
 * other functions here are called under the lock of jit.c.
 */
CAIRN_JIT_INTERNAL size_t cairn_jit_index_copy_frame(uint64_t pc, void *buffer, size_t capacity);

/* Forget the searches of threads that do not exist in the child of fork(). */
CAIRN_JIT_INTERNAL void cairn_jit_index_forked(void);

CAIRN_JIT_INTERNAL void cairn_jit_code_free(struct cairn_jit_code *code);

/*
 * Remove a deleted function from the index if no object or unwinder table contains it any more, and
 * free it if the program has no handle.
 */
CAIRN_JIT_INTERNAL void cairn_jit_code_settle(struct cairn_jit_code *code);

/*
 * Assigns functions to objects, and notifies debuggers of changes.
 *
 * While no debugger is attached, functions are appended to one listed object, which grows; when it
 * has many functions, a new object is started. No event is sent, because a debugger that attaches
 * later reads the list. Each change is made before the check for a debugger: a debugger that
 * attached before the change has its breakpoint in place when the thread continues, and one that
 * attached after it has read the change.
 *
 * While a debugger is attached, it has a copy of each listed object, made when the object was
 * registered. Listed objects are therefore not changed but unregistered, rebuilt and registered
 * again. A new function, or a batch, becomes an object of its own; 32 objects of similar size are
 * merged, because each event costs time proportional to the number of objects.
 *
 * All functions except cairn_jit_arrange_publish() are called under the lock of jit.c.
 */

/* Begin a change: detect whether a debugger has attached or detached. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_begin(void);

/*
 * Add a function to the object of the batch with the ID `batch`, or to the most suitable object if
 * `batch` is 0. The function must already be in the index. Returns false, without adding the
 * function, if allocation fails.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_arrange_add(struct cairn_jit_code *code,
                                              const struct cairn_jit_facts *facts, uint64_t batch);

/* Remove a function from its object. It stays in the index while a debugger may have a copy. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_remove(struct cairn_jit_code *code);

/* Make debuggers forget a removed function, because a new function reuses its addresses. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_forget(struct cairn_jit_code *code);

CAIRN_JIT_INTERNAL void cairn_jit_arrange_batch(uint64_t batch);

/* End a change: update the copy of a debugger that has attached during the change. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_end(void);

/* Register the objects of unfinished batches. Called without the lock. */
CAIRN_JIT_INTERNAL void cairn_jit_arrange_publish(void);

#endif
