/* SPDX-License-Identifier: MIT */
/*
 * Computes the caller of a frame by the rules of a Breakpad file: maps register names to numbers
 * and evaluates expressions.
 */
#ifndef CAIRN_UNWIND_TABLES_STACK_CFI_CALLER_H
#define CAIRN_UNWIND_TABLES_STACK_CFI_CALLER_H

#include "stack_cfi.h"

#include "unwind/target/arch.h"

struct stack_cfi_caller {
	bool outermost; /* rule for the return address is ".undef": the frame has no caller */
	bool has_cfa;
	uint64_t cfa;
	struct cairn_registers registers;
};

/*
 * Compute the caller. Return NOT_FOUND if the row lacks a rule for ".cfa" or ".ra", or such a rule
 * needs an unknown register; UNREADABLE if memory is unreadable; MALFORMED or UNSUPPORTED for an
 * invalid expression, at fault->offset in its string. If the rule of another register fails, that
 * register is unknown in the caller; a register without a rule keeps its value if calls preserve
 * it. has_cfa and cfa are set in any case.
 */
CAIRN_MUST_USE enum cairn_status stack_cfi_caller(const struct stack_cfi_row *row,
                                                  const struct cairn_target *target,
                                                  const struct cairn_registers *frame,
                                                  struct stack_cfi_caller *caller,
                                                  struct cairn_fault *fault);

/* Find the DWARF number of a register by its Breakpad name. Return false if it is unknown. */
bool stack_cfi_register(enum cairn_machine machine, struct cairn_bytes name, unsigned *number);

#endif
