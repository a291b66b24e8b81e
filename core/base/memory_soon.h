/* SPDX-License-Identifier: MIT */
/* Prefetches memory, so that a later read does not wait for it. */
#ifndef CAIRN_BASE_MEMORY_SOON_H
#define CAIRN_BASE_MEMORY_SOON_H

#include <stdint.h>

/*
 * Prefetch the memory `after` bytes past `at`. The address need not be valid because nothing is
 * read.
 */
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
