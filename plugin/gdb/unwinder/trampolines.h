/* SPDX-License-Identifier: MIT */
/* Signal trampolines in GDB: the code that a signal handler returns to. */
#ifndef CAIRN_GDB_UNWINDER_TRAMPOLINES_H
#define CAIRN_GDB_UNWINDER_TRAMPOLINES_H

#include "unwinder.h"

/*
 * Return true if cairn unwinds the trampoline at `start`. GDB knows the usual trampolines and shows
 * them as <signal handler called>, while frames from a JIT reader are always ordinary ones.
 * Trampolines in a C library are therefore left to GDB; cairn handles one amid the program's own
 * SFrame code, or outside of all modules.
 */
bool trampoline_starts_own(struct unwinder *unwinder, uint64_t start);

bool trampoline_is_own(struct unwinder *unwinder, const struct cairn_registers *frame);

/*
 * Change the pc of a frame at the first byte of a trampoline to the second byte, and back. GDB
 * takes the pc of an ordinary frame for a return address and names the function by the byte before
 * it, which does not belong to the trampoline if the pc is its first byte.
 */
void trampoline_restore_pc(struct unwinder *unwinder, struct cairn_registers *frame);
void trampoline_advance_pc(struct unwinder *unwinder, struct cairn_registers *caller);

#endif
