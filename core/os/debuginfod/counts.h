/* SPDX-License-Identifier: MIT */
/* Counts what a client of debuginfod has asked for, and what became of it, for those who watch a store. */
#ifndef CAIRN_OS_DEBUGINFOD_COUNTS_H
#define CAIRN_OS_DEBUGINFOD_COUNTS_H

#include <stdint.h>

struct debuginfod_counts {
	uint64_t hits;        /* questions that the cache answered with a file */
	uint64_t misses;      /* a server sent the file */
	uint64_t negatives;   /* no server has it, or had it some minutes ago */
	uint64_t errors;      /* a server did not say, or not in time, or the file found no room */
	uint64_t bytes;       /* of the files that servers sent */
	uint64_t evictions;   /* files that were removed from the cache to make room */
	uint64_t cache_bytes; /* in the cache, when a file came last; 0: not known */
};

#endif
