/* SPDX-License-Identifier: MIT */
/*
 * Signal trampolines: the few instructions that a handler returns to. Most have no unwind table,
 * but are recognized by their bytes, and the interrupted registers are in the context that the
 * kernel left on the stack. Linux only.
 */
#ifndef CAIRN_UNWIND_STEP_SIGNAL_TRAMPOLINE_H
#define CAIRN_UNWIND_STEP_SIGNAL_TRAMPOLINE_H

#include <cairn.h>

/*
 * Return true if the frame's pc is in a trampoline, and set *start to its first byte. If its code
 * is unreadable, the signal frame on the stack identifies it, and *start is the pc.
 */
bool signal_trampoline_find(const struct cairn_target *target, const struct cairn_registers *frame,
                            uint64_t *start);

/*
 * Find a trampoline by its code alone. If not found, set *hidden if the code at and before the pc
 * is unreadable.
 */
bool signal_trampoline_find_or_hidden(const struct cairn_target *target,
                                      const struct cairn_registers *frame, uint64_t *start,
                                      bool *hidden);

/*
 * Restore all interrupted registers. Return false if the pc is not in a trampoline. If its code is
 * unreadable, the signal frame on the stack identifies it.
 */
bool signal_trampoline_unwind(const struct cairn_target *target,
                              const struct cairn_registers *frame, struct cairn_registers *caller);

#endif
