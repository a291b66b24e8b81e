/* SPDX-License-Identifier: MIT */
/*
 * The bytes that malloc() has allocated, for callers that bound what libraries keep.
 *
 *	if (os_heap_used() > at_first + BOUND)
 *		... let go of what can be read again
 */
#ifndef CAIRN_OS_HEAP_H
#define CAIRN_OS_HEAP_H

#include <stddef.h>

/* In bytes; 0 when the system does not know.  It takes some microseconds. */
size_t os_heap_used(void);

#endif
