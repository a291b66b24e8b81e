/* SPDX-License-Identifier: MIT */
/* Sorts records by their leading number. */
#include "sort.h"

#include <stdlib.h>

static int compare_first(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return ORDER_BY(a, b, 0);
}

void sort_records(void *records, size_t count, size_t size)
{
	if (count > 0)
		qsort(records, count, size, compare_first);
}
