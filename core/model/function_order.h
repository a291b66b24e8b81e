/* SPDX-License-Identifier: MIT */
/*
 * Which of several functions with one range names its addresses, in a file that is written and in an answer: one from
 * debugging information before one from a symbol; one that has a name; the better name, as the caller has it, else by
 * name_order_compare(); one with lines.  Of functions that are equal in all of it, the caller takes the one that came first.
 */
#ifndef CAIRN_MODEL_FUNCTION_ORDER_H
#define CAIRN_MODEL_FUNCTION_ORDER_H

#include "function.h"

struct function_rank {
	struct cairn_bytes name; /* empty: it has none */
	enum function_provenance source;
	bool has_lines;
};

struct function_order {
	/* Which name of the code at `va` is better: below 0 for `a`.  NULL: their spelling decides. */
	int (*compare_names)(const void *context, uint64_t va, struct cairn_bytes a,
	                     struct cairn_bytes b);
	const void *context;
};

/* Below 0 when `a` comes first. */
int function_order_compare(const struct function_order *order, uint64_t va,
                           const struct function_rank *a, const struct function_rank *b);

#endif
