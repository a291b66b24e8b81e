/* SPDX-License-Identifier: MIT */
/* Chooses the more readable of two names of the same code by their spelling alone. */
#ifndef CAIRN_BASE_NAME_ORDER_H
#define CAIRN_BASE_NAME_ORDER_H

#include <cairn.h>

#include <string.h>

enum { NAME_UNDERSCORES_MAX = 64 }; /* Count at most this many leading underscores. */

static inline size_t name_count_underscores(struct cairn_bytes name)
{
	size_t count = 0;

	while (count < name.size && count < NAME_UNDERSCORES_MAX && name.data[count] == '_')
		count++;
	return count;
}

/*
 * Return a value below 0 if `a` is better: it has fewer leading underscores, is shorter, or sorts
 * first.
 */
static inline int name_order_compare(struct cairn_bytes a, struct cairn_bytes b)
{
	const size_t a_lead = name_count_underscores(a), b_lead = name_count_underscores(b);

	if (a_lead != b_lead)
		return a_lead < b_lead ? -1 : 1;
	if (a.size != b.size)
		return a.size < b.size ? -1 : 1;
	return a.data == b.data || a.size == 0 ? 0 : memcmp(a.data, b.data, a.size);
}

#endif
