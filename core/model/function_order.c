/* SPDX-License-Identifier: MIT */
/* Compares functions with the same range. */
#include "function_order.h"

#include "base/name_order.h"

static int compare_names(const struct function_order *order, uint64_t va, struct cairn_bytes a,
                         struct cairn_bytes b)
{
	int result = 0;

	if (a.data == b.data && a.size == b.size)
		return 0;
	if (order->compare_names)
		result = order->compare_names(order->context, va, a, b);
	return result != 0 ? result : name_order_compare(a, b);
}

int function_order_compare(const struct function_order *order, uint64_t va,
                           const struct function_rank *a, const struct function_rank *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if ((a->name.size == 0) != (b->name.size == 0))
		return a->name.size == 0 ? 1 : -1;
	const int names = compare_names(order, va, a->name, b->name);
	if (names != 0 || a->has_lines == b->has_lines)
		return names;
	return a->has_lines ? -1 : 1;
}
