/* SPDX-License-Identifier: MIT */
/*
 * Compares records for qsort() by one number after the other:
 *
 *	const struct cairn_range *a = left, *b = right;
 *
 *	return ORDER_BY(a->low, b->low, ORDER_BY(b->high, a->high, 0));
 */
#ifndef CAIRN_BASE_ORDER_H
#define CAIRN_BASE_ORDER_H

/*
 * Sort the smaller number first. For equal numbers the result is `then`: 0, or a comparison of the
 * next numbers.
 */
#define ORDER_BY(a, b, then) ((a) != (b) ? ((a) < (b) ? -1 : 1) : (then))

#endif
