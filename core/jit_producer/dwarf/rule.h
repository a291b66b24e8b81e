/* SPDX-License-Identifier: MIT */
/* Converts the rule of a function to DWARF call frame instructions. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_RULE_H
#define CAIRN_JIT_PRODUCER_DWARF_RULE_H

#include "rows.h"

/*
 * Append the instructions. They follow a CIE that describes the frame at the entry of a function.
 * Returns false if the rule violates the rules of cairn_jit.h, or the machine does not support the
 * template.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_write_rule(struct cairn_jit_bytes *out,
                                             const struct cairn_jit_function *function);

#endif
