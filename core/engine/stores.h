/* SPDX-License-Identifier: MIT */
/*
 * Callee-saved registers that a function stores on its stack by mov: gcc from 15 on does so where
 * older ones push.  The whole function is looked through once, for a register that it stores
 * nowhere was not touched at all.
 */
#ifndef CAIRN_ENGINE_STORES_H
#define CAIRN_ENGINE_STORES_H

#include "modules.h"

#include "formats/sframe/sframe.h"

enum {
	STORES_REGISTERS = 16,
	STORES_CODE_MAX = 1 << 16, /* bytes of a function; longer ones are not looked through */
	STORES_CACHE = 256,        /* functions of one module that are remembered */
};

/* The first store of a register in the order of addresses. */
struct store {
	uint64_t va, end; /* of the instruction; end 0: there is none */
	uint8_t base;     /* DWARF number */
	int32_t displacement;
};

struct stores {
	uint64_t function; /* its first va; 0: an empty slot of the cache */
	bool complete;     /* all of the function could be followed */
	struct store of[STORES_REGISTERS];
};

/* Valid until the next call.  NULL when memory is short. */
const struct stores *stores_of(struct cairn_space *space, struct module *module,
                               const struct sframe_function *function);

/* Is there no branch between two addresses, at the first of which an instruction begins? */
bool stores_straight(struct cairn_space *space, const struct module *module, uint64_t from,
                     uint64_t to);

#endif
