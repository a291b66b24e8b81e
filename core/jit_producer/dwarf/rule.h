/* SPDX-License-Identifier: MIT */
/* Turns the rule of a function into call frame instructions of DWARF. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_RULE_H
#define CAIRN_JIT_PRODUCER_DWARF_RULE_H

#include "rows.h"

/*
 * Appends the instructions.  They begin where the CIE ends, which says how a frame is at the entry of a function.  Returns
 * false if the rule contradicts cairn_jit.h, or the machine has no such template.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_write_rule(struct cairn_jit_bytes *out,
                                             const struct cairn_jit_function *function);

#endif
