/* SPDX-License-Identifier: MIT */
/* Tells the processor that memory will be read, so that the read does not wait for it. */
#ifndef CAIRN_BASE_MEMORY_SOON_H
#define CAIRN_BASE_MEMORY_SOON_H

#include <stdint.h>

/* The memory so many bytes after `at`.  There may be none: nothing is read. */
static inline void memory_soon(const void *at, uint64_t after)
{
#ifdef __GNUC__
	__builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)after));
#else
	(void)at;
	(void)after;
#endif
}

#endif
