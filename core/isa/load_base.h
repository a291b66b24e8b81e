/* SPDX-License-Identifier: MIT */
/*
 * Infers a load address from return addresses such as the frames of a backtrace: the base is
 * page-aligned, and at the right base a call ends before each of the addresses.
 *
 * Each address votes for all bases at which it would follow a call. Only one offset per page of
 * code has to be examined for it, so the work is the number of pages times the number of addresses,
 * both of which are limited. A base is accepted if it wins clearly, and if code with as many calls
 * would hardly agree with the addresses by chance.
 */
#ifndef CAIRN_ISA_LOAD_BASE_H
#define CAIRN_ISA_LOAD_BASE_H

#include <cairn.h>

struct load_base_code {
	uint64_t va;
	struct cairn_bytes bytes;
};

struct load_base {
	uint64_t first; /* load address of the first byte, if the code is from one file */
	uint64_t bias;  /* process address = linked address + bias */
	/* number of addresses that lie in the code, and of addresses that follow a call there */
	size_t inside, follow;
};

/*
 * Return true if a call ends at this linked address, or a signal handler returns to it. Also return
 * true if the machine's calls are unknown.
 */
bool load_base_is_return(enum cairn_machine machine, const struct load_base_code *code,
                         size_t parts, uint64_t va);

/*
 * Find the base at which `returns` (sorted, unique) follow calls. Return false if no base is
 * clearly right or if memory is short.
 */
bool load_base_find(enum cairn_machine machine, const struct load_base_code *code, size_t parts,
                    const uint64_t *returns, size_t count, struct load_base *base);

#endif
