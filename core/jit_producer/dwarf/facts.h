/* SPDX-License-Identifier: MIT */
/* What a function's rule and lines come to in DWARF. */
#ifndef CAIRN_JIT_PRODUCER_DWARF_FACTS_H
#define CAIRN_JIT_PRODUCER_DWARF_FACTS_H

#include "jit_producer/base/parts.h"

/* What facts borrow from; it is used again for each function. */
struct cairn_jit_scratch {
	struct cairn_jit_bytes frame, lines;
	char name[32]; /* of a function without one */
};

/* False: the function contradicts cairn_jit.h, or memory is short. */
CAIRN_JIT_INTERNAL bool cairn_jit_make_facts(struct cairn_jit_scratch *scratch,
                                             const struct cairn_jit_function *function,
                                             struct cairn_jit_facts *facts);

#endif
