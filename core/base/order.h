/* SPDX-License-Identifier: MIT */
/*
 * The order of records for qsort(), by one number of them after the other:
 *
 *	const struct cairn_range *a = left, *b = right;
 *
 *	return ORDER_BY(a->low, b->low, ORDER_BY(b->high, a->high, 0));
 */
#ifndef CAIRN_BASE_ORDER_H
#define CAIRN_BASE_ORDER_H

/* The smaller one comes first; `then` is the order of equal ones: 0, or that of their next numbers. */
#define ORDER_BY(a, b, then) ((a) != (b) ? ((a) < (b) ? -1 : 1) : (then))

#endif
