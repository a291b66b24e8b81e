/* SPDX-License-Identifier: MIT */
/*
 * Unwinds signal trampolines, the few instructions to which a signal handler returns. Most have no
 * unwind table, so they are recognized by their bytes. The interrupted registers are in the signal
 * frame that the kernel has written to the stack. Linux only.
 */
#ifndef CAIRN_UNWIND_STEP_SIGNAL_TRAMPOLINE_H
#define CAIRN_UNWIND_STEP_SIGNAL_TRAMPOLINE_H

#include <cairn.h>

/*
 * Return true if the frame's pc is in a trampoline, and set *start to its first byte. If the code
 * is unreadable, a signal frame on the stack identifies the trampoline, and *start is the pc.
 */
bool signal_trampoline_find(const struct cairn_target *target, const struct cairn_registers *frame,
                            uint64_t *start);

/*
 * Find a trampoline by its code alone. On failure, set *hidden to whether the code at and before
 * the pc is unreadable.
 */
bool signal_trampoline_find_or_hidden(const struct cairn_target *target,
                                      const struct cairn_registers *frame, uint64_t *start,
                                      bool *hidden);

/*
 * Restore all interrupted registers. Return false if the pc is not in a trampoline. If the code is
 * unreadable, a signal frame on the stack identifies the trampoline.
 */
bool signal_trampoline_unwind(const struct cairn_target *target,
                              const struct cairn_registers *frame, struct cairn_registers *caller);

#endif
