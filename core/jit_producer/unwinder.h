/* SPDX-License-Identifier: MIT */
/*
 * Tables for the unwinder of this process, libgcc's or LLVM's. libgcc reads a table once, so tables
 * must not change; it is slow with many tables, so 16 of similar size are merged.
 */
#ifndef CAIRN_JIT_PRODUCER_UNWINDER_H
#define CAIRN_JIT_PRODUCER_UNWINDER_H

#include "object.h"

/* Add a function to a table. It is omitted if memory is short. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_add(struct cairn_jit_code *code,
                                               const struct cairn_jit_facts *facts);

/* Remove a function. Its table may keep it as long as its addresses are not reused. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_remove(struct cairn_jit_code *code);

/* Rebuild the table without removed functions. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_forget(struct cairn_jit_code *code);

#endif
