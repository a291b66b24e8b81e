/* SPDX-License-Identifier: MIT */
/*
 * Signal trampolines: the few instructions a handler returns to.  Mostly they have no unwind
 * table; they are known by their bytes, and the registers of what was interrupted are in the
 * context that the kernel left on the stack.  Linux on amd64, aarch64 and s390x.
 */
#ifndef CAIRN_UNWIND_STEP_SIGNAL_TRAMPOLINE_H
#define CAIRN_UNWIND_STEP_SIGNAL_TRAMPOLINE_H

#include <cairn.h>

/*
 * Return whether the instruction at the frame's pc is part of a trampoline, and set *start to its first byte.  One whose
 * code cannot be read is known by the signal frame on the stack; its start is the pc then.
 */
bool signal_trampoline_find(const struct cairn_target *target, const struct cairn_registers *frame,
                            uint64_t *start);

/* The same by the code alone.  If there is no trampoline, set *hidden to whether the code at the pc, and before it, cannot be read. */
bool signal_trampoline_find_or_hidden(const struct cairn_target *target,
                                      const struct cairn_registers *frame, uint64_t *start,
                                      bool *hidden);

/*
 * Restore the interrupted registers, all of them.  Return false if the pc is at no trampoline.  One whose code cannot be
 * read is known by the signal frame on the stack (amd64, i386, aarch64).
 */
bool signal_trampoline_unwind(const struct cairn_target *target,
                              const struct cairn_registers *frame, struct cairn_registers *caller);

#endif
