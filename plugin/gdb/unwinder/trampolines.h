/* SPDX-License-Identifier: MIT */
/* Trampolines of signals in GDB: the code that a handler returns to. */
#ifndef CAIRN_GDB_UNWINDER_TRAMPOLINES_H
#define CAIRN_GDB_UNWINDER_TRAMPOLINES_H

#include "unwinder.h"

/*
 * GDB knows the usual trampolines, and shows them as <signal handler called>; our frames are
 * always ordinary ones.  So we leave those alone that are in a C library, and answer for one amid
 * the program's own SFrame code, or outside of all modules.
 */
bool trampoline_starts_own(struct unwinder *unwinder, uint64_t start);

/* Is the frame in such a trampoline? */
bool trampoline_is_own(struct unwinder *unwinder, const struct cairn_registers *frame);

/*
 * GDB takes the pc of an ordinary frame for a return address and names the function by the byte
 * before it, which is not the trampoline's when the pc is its first.  So such a frame gets the
 * address of its second byte; here it is put right again.
 */
void trampoline_restore_pc(struct unwinder *unwinder, struct cairn_registers *frame);
void trampoline_advance_pc(struct unwinder *unwinder, struct cairn_registers *caller);

#endif
