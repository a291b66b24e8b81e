/* SPDX-License-Identifier: MIT */
/* Sorts records that begin with the number that they are sorted by, of 64 bits; for other orders there is order.h. */
#ifndef CAIRN_BASE_SORT_H
#define CAIRN_BASE_SORT_H

#include "bisect.h"

/* `records` may be NULL if there are none. */
void sort_records(void *records, size_t count, size_t size);

/* By a member, which must be the first one and have 64 bits, or it does not compile: no array has a negative size. */
#define SORT_BY_FIRST(records, count, member)                                     \
	sort_records(records, count,                                              \
	             sizeof(char[BISECT_MEMBER(records, member) == 0 ? 1 : -1]) * \
	                     sizeof(*(records)))

#endif
