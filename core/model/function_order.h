/* SPDX-License-Identifier: MIT */
/*
 * Decides which of several functions with the same range names its addresses, both in a written
 * file and in an answer. In this order, prefer the function from debugging information, the
 * function with a name, the better name (by the caller's comparison, otherwise by
 * name_order_compare()), and the function with lines. If two functions are equal in all of this,
 * the caller takes the first one.
 */
#ifndef CAIRN_MODEL_FUNCTION_ORDER_H
#define CAIRN_MODEL_FUNCTION_ORDER_H

#include "function.h"

struct function_rank {
	struct cairn_bytes name; /* may be empty */
	enum function_provenance source;
	bool has_lines;
};

struct function_order {
	/*
	 * Compare two names of the code at `va`; below 0 if `a` is better. NULL: compare only their
	 * spelling.
	 */
	int (*compare_names)(const void *context, uint64_t va, struct cairn_bytes a,
	                     struct cairn_bytes b);
	const void *context;
};

int function_order_compare(const struct function_order *order, uint64_t va,
                           const struct function_rank *a, const struct function_rank *b);

#endif
