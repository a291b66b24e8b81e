/* SPDX-License-Identifier: MIT */
/*
 * .sframe sections made for the benchmarks: the same functions in each version.  What they hold
 * follows what GNU as writes for C programs on amd64: leaves, functions with a frame pointer,
 * functions that push registers and leave in several places, now and then a large frame or a
 * realigned stack; some 9 rows a function.
 */
#ifndef CAIRN_BENCH_SECTION_H
#define CAIRN_BENCH_SECTION_H

#include <cairn.h>

struct section {
	struct cairn_bytes bytes; /* owned */
	uint64_t address;
};

/* bytes.size is 0 when memory is short. */
struct section section_make(uint8_t version, uint32_t functions);
void section_finish(struct section *section);

#endif
