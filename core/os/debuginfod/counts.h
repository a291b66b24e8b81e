/* SPDX-License-Identifier: MIT */
/* Counters of a debuginfod client, shown to operators of a store. */
#ifndef CAIRN_OS_DEBUGINFOD_COUNTS_H
#define CAIRN_OS_DEBUGINFOD_COUNTS_H

#include <stdint.h>

struct debuginfod_counts {
	uint64_t hits;
	uint64_t misses;    /* files sent by a server */
	uint64_t negatives; /* no server has the file, possibly by a remembered answer */
	uint64_t errors;    /* lookup failed or timed out, or no space for the file */
	uint64_t bytes;
	uint64_t evictions;
	uint64_t cache_bytes; /* size of the cache after the latest download; 0: unknown */
};

#endif
