/* SPDX-License-Identifier: MIT */
/* Reports the bytes that malloc() has allocated, from mallinfo2() where glibc has it. */
#include "heap.h"

#include <stdlib.h> /* names the C library */

#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
#define HAS_MALLINFO2
#endif
#endif

#ifdef HAS_MALLINFO2
#include <malloc.h>

size_t os_heap_used(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}
#else
size_t os_heap_used(void)
{
	return 0;
}
#endif
