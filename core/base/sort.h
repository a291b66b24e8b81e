/* SPDX-License-Identifier: MIT */
/* Sorts records that begin with the number that they are sorted by, of 64 bits; for other orders there is order.h. */
#ifndef CAIRN_BASE_SORT_H
#define CAIRN_BASE_SORT_H

#include "bisect.h"

/* `records` may be NULL if there are none. */
void sort_records(void *records, size_t count, size_t size);

/* Sorts by a member, which must be the first one and have 64 bits: an array has a negative size if it is not. */
#define SORT_BY_FIRST(records, count, member)                                     \
	sort_records(records, count,                                              \
	             sizeof(char[BISECT_MEMBER(records, member) == 0 ? 1 : -1]) * \
	                     sizeof(*(records)))

#endif
