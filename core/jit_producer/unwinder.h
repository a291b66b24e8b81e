/* SPDX-License-Identifier: MIT */
/*
 * Tables for the unwinder of this process: libgcc's, or LLVM's where that is the one.  libgcc reads a table once, so that it must not
 * change; and it is slow with many tables, so that 16 of like size become one.
 */
#ifndef CAIRN_JIT_PRODUCER_UNWINDER_H
#define CAIRN_JIT_PRODUCER_UNWINDER_H

#include "jit_producer/object/object.h"

/* A function without memory for its table is left out. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_add(struct cairn_jit_code *code,
                                               const struct cairn_jit_facts *facts);

/* A function is gone; its table may have it as long as nothing else is at its addresses. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_remove(struct cairn_jit_code *code);

/* Makes the table anew, without functions that are gone. */
CAIRN_JIT_INTERNAL void cairn_jit_unwinder_forget(struct cairn_jit_code *code);

#endif
