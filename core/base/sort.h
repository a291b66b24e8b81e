/* SPDX-License-Identifier: MIT */
/* Sorts records by a 64-bit number that is their first member. For other orders use order.h. */
#ifndef CAIRN_BASE_SORT_H
#define CAIRN_BASE_SORT_H

#include "bisect.h"

void sort_records(void *records, size_t count, size_t size);

/*
 * Sort by `member`. It must be the first one and a 64-bit integer, otherwise an array of negative
 * size stops the compilation.
 */
#define SORT_BY_FIRST(records, count, member)                                     \
	sort_records(records, count,                                              \
	             sizeof(char[BISECT_MEMBER(records, member) == 0 ? 1 : -1]) * \
	                     sizeof(*(records)))

#endif
