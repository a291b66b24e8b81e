/* SPDX-License-Identifier: MIT */
/*
 * From a frame to its caller by the rules of a Breakpad file: names of registers become numbers,
 * expressions become values.
 */
#ifndef CAIRN_UNWIND_STACK_CFI_CALLER_H
#define CAIRN_UNWIND_STACK_CFI_CALLER_H

#include "stack_cfi.h"

#include "unwind/target/arch.h"

struct stack_cfi_caller {
	bool outermost; /* the rule for the return address is ".undef": nobody called */
	bool has_cfa;
	uint64_t cfa;
	struct cairn_registers registers; /* of the caller, without authentication bits in its pc */
};

/*
 * NOT_FOUND: the row has no rule for ".cfa" or ".ra", or one of them takes a register that is not
 * known; UNREADABLE: memory is not readable; MALFORMED, UNSUPPORTED: an expression is at fault, at
 * fault->offset in its text. A register whose rule fails otherwise is not known in the caller; one
 * without a rule keeps its value if calls keep it. has_cfa and cfa are set in any case.
 */
CAIRN_MUST_USE enum cairn_status stack_cfi_caller(const struct stack_cfi_row *row,
                                                  const struct cairn_target *target,
                                                  const struct cairn_registers *frame,
                                                  struct stack_cfi_caller *caller,
                                                  struct cairn_fault *fault);

/* DWARF number of a register by the name that Breakpad's writers use; false for an unknown one. */
bool stack_cfi_register(enum cairn_machine machine, struct cairn_bytes name, unsigned *number);

#endif
