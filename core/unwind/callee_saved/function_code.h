/* SPDX-License-Identifier: MIT */
/*
 * The code of one function followed with all that belongs to it: its rows, the parts of it that are
 * elsewhere, the tables of its switches.  All of it is read from the target; what is kept across
 * a read belongs to the space or the module.
 */
#ifndef CAIRN_UNWIND_CALLEE_SAVED_FUNCTION_CODE_H
#define CAIRN_UNWIND_CALLEE_SAVED_FUNCTION_CODE_H

#include "unwind/flow/flow.h"

#include "unwind/modules/modules.h"

enum {
	FUNCTION_CODE_WINDOW = 1 << 16, /* bytes of code or of a table that are read at once */
	FUNCTION_CODE_SCAN_MAX =
		1 << 23, /* bytes of one module's code looked through for owners of parts */
};

struct function_code_work {
	uint8_t bytes[FUNCTION_CODE_WINDOW];
	uint32_t scanned;
};

enum function_code_outcome {
	FUNCTION_CODE_UNKNOWN,   /* nothing is known */
	FUNCTION_CODE_UNTOUCHED, /* an entry of a PLT: it saves nothing, and changes nothing */
	FUNCTION_CODE_ANALYZED,  /* the facts are in the flow */
};

/* The function that begins at `start`, as a rule names it.  The space's flow must be there. */
enum function_code_outcome function_code_analyze(struct cairn_space *space, struct module *module,
                                                 struct function_code_work *work, uint64_t start);

#endif
