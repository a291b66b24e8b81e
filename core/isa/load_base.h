/* SPDX-License-Identifier: MIT */
/*
 * Infers where code was loaded from addresses that calls return to, as the frames of a backtrace are: the base is at a page,
 * and at the right one a call ends before each of the addresses.
 *
 * Each address votes for all bases at which it would follow a call; pages of code are looked at, at one offset each, so that
 * the work grows with pages times addresses, both of which are limited.  A base counts if it wins clearly, and if code with as many
 * calls would hardly agree with the addresses by chance.
 */
#ifndef CAIRN_ISA_LOAD_BASE_H
#define CAIRN_ISA_LOAD_BASE_H

#include <cairn.h>

/* A part of the code, at its address as linked. */
struct load_base_code {
	uint64_t va;
	struct cairn_bytes bytes;
};

struct load_base {
	uint64_t first;        /* where the first byte of a file was, if it is code of one */
	uint64_t bias; /* address in the process = address as linked + bias */
	size_t inside,
		follow; /* how many of the addresses are in the code, and follow a call there */
};

/* Does a call end at this address as linked, or does a signal handler return to it?  True also if the machine is not known. */
bool load_base_is_return(enum cairn_machine machine, const struct load_base_code *code,
                         size_t parts, uint64_t va);

/* `returns` are sorted and differ.  False: no base is clearly the right one, or memory is short. */
bool load_base_find(enum cairn_machine machine, const struct load_base_code *code, size_t parts,
                    const uint64_t *returns, size_t count, struct load_base *base);

#endif
