/* SPDX-License-Identifier: MIT */
/*
 * The code of one function followed with all that belongs to it: its rows, the parts of it that lie
 * elsewhere, the tables of its switches.  All of it is read from the target; what is kept across
 * a read belongs to the space or the module.
 */
#ifndef CAIRN_ENGINE_UNWIND_FUNCTION_CODE_H
#define CAIRN_ENGINE_UNWIND_FUNCTION_CODE_H

#include "flow.h"

#include "engine/modules/modules.h"

enum {
	SAVED_WINDOW = 1 << 16, /* bytes of code or of a table that are read at once */
	SAVED_SCAN_MAX =
		1 << 23, /* bytes of one module's code looked through for owners of parts */
};

struct saved_work {
	uint8_t bytes[SAVED_WINDOW];
	uint32_t scanned;
};

/* Where: the space's flow must be there. */
struct saved_place {
	struct cairn_space *space;
	struct module *module;
	struct saved_work *work;
};

enum saved_outcome {
	SAVED_NOTHING,   /* nothing is known */
	SAVED_UNTOUCHED, /* an entry of a PLT: it saves nothing, and changes nothing */
	SAVED_FOLLOWED,  /* the facts are in the flow */
};

/* The function that begins at `start`, as a rule names it. */
enum saved_outcome saved_follow(const struct saved_place *place, uint64_t start);

#endif
