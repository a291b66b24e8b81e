/* SPDX-License-Identifier: MIT */
/*
 * Analyzes the code of one function together with its unwind rows, its parts in other sections
 * (such as name.cold) and its jump tables. Code and jump tables are read from the target.
 * Allocations that live across a read belong to the space or the module, because the host may throw
 * an exception from the read.
 */
#ifndef CAIRN_UNWIND_STEP_FUNCTION_CODE_H
#define CAIRN_UNWIND_STEP_FUNCTION_CODE_H

#include "flow.h"

#include "unwind/tables/modules.h"

enum {
	FUNCTION_CODE_WINDOW = 1 << 16,
	/*
	 * maximum number of code bytes per module to scan for the function to which a cold part
	 * (name.cold) belongs
	 */
	FUNCTION_CODE_SCAN_MAX = 1 << 23,
};

struct function_code_work {
	uint8_t bytes[FUNCTION_CODE_WINDOW];
	uint32_t scanned;
};

enum function_code_outcome {
	FUNCTION_CODE_UNKNOWN,
	FUNCTION_CODE_UNTOUCHED, /* PLT entry, which neither saves nor changes registers */
	FUNCTION_CODE_ANALYZED,
};

/*
 * Analyze the function that begins at `start`, an address from an unwind rule. space->flow must
 * exist.
 */
enum function_code_outcome function_code_analyze(struct cairn_space *space, struct module *module,
                                                 struct function_code_work *work, uint64_t start);

/*
 * Recovers callee-saved registers, which SFrame does not record, by analyzing the code (amd64).
 * Each function is analyzed once (see flow.h), and the result is cached in its module. A part of a
 * function that the compiler moved elsewhere (name.cold) can be analyzed only if the function
 * itself is found. A register remains unknown unless the code proves its value.
 */

/*
 * A frame whose callee-saved registers are requested. All addresses except for the CFA are
 * link-time addresses.
 */
struct callee_saved_frame {
	const struct cairn_registers *frame;
	uint64_t function;
	uint64_t va; /* pc, or an address inside the call if the pc is a return address */
	uint64_t cfa;
};

/* Set those callee-saved registers of `caller` whose values follow from the code. */
void callee_saved_recover(struct cairn_space *space, struct module *module,
                          const struct callee_saved_frame *at, struct cairn_registers *caller);

#endif
