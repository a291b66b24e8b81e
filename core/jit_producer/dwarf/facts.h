/* SPDX-License-Identifier: MIT */
/* Converts the rule and lines of a function to DWARF. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_FACTS_H
#define CAIRN_JIT_PRODUCER_DWARF_FACTS_H

#include "jit_producer/base/parts.h"

/* Storage that facts borrow from, reused for each function. */
struct cairn_jit_scratch {
	struct cairn_jit_bytes frame, lines;
	char name[32];
};

/*
 * Fill `facts`. Returns false if the function violates the rules of cairn_jit.h, or memory is
 * short.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_make_facts(struct cairn_jit_scratch *scratch,
                                             const struct cairn_jit_function *function,
                                             struct cairn_jit_facts *facts);

#endif
