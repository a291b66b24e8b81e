/* SPDX-License-Identifier: MIT */
/*
 * Analyzes the code of one function with its rows, its parts that lie elsewhere, and its jump
 * tables. Code and jump tables are read from the target. Memory that is needed across a read
 * belongs to the space or the module, because the host may leave the read by an exception.
 */
#ifndef CAIRN_UNWIND_CODE_FUNCTION_CODE_H
#define CAIRN_UNWIND_CODE_FUNCTION_CODE_H

#include "flow.h"

#include "unwind/tables/modules.h"

enum {
	FUNCTION_CODE_WINDOW = 1 << 16,
	/* bytes of a module's code searched for owners of parts */
	FUNCTION_CODE_SCAN_MAX = 1 << 23,
};

struct function_code_work {
	uint8_t bytes[FUNCTION_CODE_WINDOW];
	uint32_t scanned;
};

enum function_code_outcome {
	FUNCTION_CODE_UNKNOWN,
	FUNCTION_CODE_UNTOUCHED, /* PLT entry: saves and changes no register */
	FUNCTION_CODE_ANALYZED,
};

/* Analyze the function that begins at `start`, as named by a rule. space->flow must exist. */
enum function_code_outcome function_code_analyze(struct cairn_space *space, struct module *module,
                                                 struct function_code_work *work, uint64_t start);

#endif
