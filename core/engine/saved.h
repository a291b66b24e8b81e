/* SPDX-License-Identifier: MIT */
/*
 * Callee-saved registers, which SFrame does not hold, from the code itself (amd64).
 *
 * A row whose CFA offset is 8 more than the row's before was made by a push just in front of it;
 * which register, the instruction tells.  Behind `mov %rsp,%rbp` the rows no longer show pushes:
 * there the straight line of instructions is followed.  A callee-saved register that is not on
 * the stack was not touched and is the same in the caller.
 *
 * This is true of what compilers write.  Where a row cannot be explained so (parts of a function
 * that begin in its middle, realigned frames), nothing is claimed.  Hand-written code that saves
 * by mov would be misread.
 */
#ifndef CAIRN_ENGINE_SAVED_H
#define CAIRN_ENGINE_SAVED_H

#include "modules.h"

/* Put what is known of the frame's callee-saved registers into `caller`. */
void saved_recover(struct cairn_space *space, struct module *module, const struct cairn_rule *rule,
                   const struct cairn_registers *frame, uint64_t cfa,
                   struct cairn_registers *caller);

#endif
