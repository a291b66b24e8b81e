/* SPDX-License-Identifier: MIT */
/*
 * Registers JIT code with the unwinder of this process, libgcc's or LLVM's. libgcc reads a table
 * once, so tables must not change afterwards. libgcc is slow with many tables, so 16 tables of
 * similar size are merged.
 */
#ifndef CAIRN_JIT_PRODUCER_UNWINDER_H
#define CAIRN_JIT_PRODUCER_UNWINDER_H

#include "object.h"

/* Add a function to a table. If allocation fails, the unwinder does not know the function. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_add(struct cairn_jit_code *code,
                                               const struct cairn_jit_facts *facts);

/* Remove a function. Its table may keep the FDE until the addresses are reused. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_remove(struct cairn_jit_code *code);

/* Rebuild the table that contains this function, and drop all removed functions from it. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_forget(struct cairn_jit_code *code);

/*
 * Write a CIE and the function's FDE to the buffer. Writes nothing if the buffer is too small.
 * Async-signal-safe.
 */
CAIRN_JIT_INTERNAL void cairn_jit_write_frame(struct cairn_jit_bytes *bytes,
                                              const struct cairn_jit_code *code);

#endif
