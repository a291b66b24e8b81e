/* SPDX-License-Identifier: MIT */
/*
 * Infers where a module was loaded from return addresses, such as those in a backtrace. Load
 * addresses are page-aligned, and with the right load address, each return address follows a call
 * instruction.
 *
 * Each address votes for all bases at which it would follow a call. Because bases are page-aligned,
 * only one offset per page of code has to be examined for each address, so the work is the number
 * of pages times the number of addresses, both of which are limited. A base is accepted if it wins
 * clearly and if code with this density of calls is unlikely to match as many addresses by chance.
 */
#ifndef CAIRN_ISA_LOAD_BASE_H
#define CAIRN_ISA_LOAD_BASE_H

#include <cairn.h>

struct load_base_code {
	uint64_t va;
	struct cairn_bytes bytes;
};

struct load_base {
	/* load address of the module's first byte, if the code is from a single file */
	uint64_t first;
	uint64_t bias; /* process address minus link-time address */
	/* number of addresses in the code, and number of addresses that follow a call */
	size_t inside, follow;
};

/*
 * Return true if the link-time address `va` follows a call or begins the code that signal handlers
 * return to. Also return true if cairn does not know the machine's call instructions.
 */
bool load_base_is_return(enum cairn_machine machine, const struct load_base_code *code,
                         size_t parts, uint64_t va);

/*
 * Set *base to the base at which `returns` (sorted and unique) follow calls. Return false if no
 * base wins clearly or allocation fails.
 */
bool load_base_find(enum cairn_machine machine, const struct load_base_code *code, size_t parts,
                    const uint64_t *returns, size_t count, struct load_base *base);

#endif
