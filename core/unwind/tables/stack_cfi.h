/* SPDX-License-Identifier: MIT */
/*
 * Finds the unwind rules for an address in a Breakpad symbol file.
 *
 *	struct stack_cfi *rules = stack_cfi_new(file);
 *	struct stack_cfi_row row;
 *	if (stack_cfi_find(rules, va, &row, &fault) == CAIRN_OK)
 *		... row.rule[0] to row.rule[row.count - 1]
 *	stack_cfi_free(rules);
 *
 * The file is read once to build an index of its STACK CFI INIT records (24 bytes per record). The
 * records that follow an INIT record are read during a lookup. Addresses are relative to the start
 * of the module. STACK WIN records are skipped.
 */
#ifndef CAIRN_UNWIND_TABLES_STACK_CFI_H
#define CAIRN_UNWIND_TABLES_STACK_CFI_H

#include "base/target_memory.h"
#include "formats/breakpad.h"

#include <cairn.h>

enum {
	/* maximum number of registers in one row; machines have up to 33 */
	STACK_CFI_RULES_MAX = 64,
	/*
	 * maximum number of records after one INIT record; the longest known sequence has about
	 * 3000
	 */
	STACK_CFI_DELTAS_MAX = 1 << 14,
};

struct stack_cfi;

struct stack_cfi_row {
	uint64_t function;
	uint64_t start, end;
	size_t count;
	struct breakpad_rule rule[STACK_CFI_RULES_MAX];
};

/* Index a file, whose bytes are borrowed. Return NULL if allocation fails. */
struct stack_cfi *stack_cfi_new(struct cairn_bytes file);
void stack_cfi_free(struct stack_cfi *rules);

size_t stack_cfi_count(const struct stack_cfi *rules);

/*
 * Find the rules for an address. Return NOT_FOUND if no record covers the address, MALFORMED if one
 * of its records is invalid, and UNSUPPORTED if its records exceed the limits above. *fault
 * contains the location in the file.
 */
CAIRN_MUST_USE enum cairn_status stack_cfi_find(const struct stack_cfi *rules, uint64_t va,
                                                struct stack_cfi_row *row,
                                                struct cairn_fault *fault);

const struct breakpad_rule *stack_cfi_rule(const struct stack_cfi_row *row, const char *name);

/*
 * Computes a frame's caller with the rules in a Breakpad file: maps register names to DWARF numbers
 * and evaluates expressions.
 */

struct stack_cfi_caller {
	/* rule for the return address is ".undef", so the frame has no caller */
	bool outermost;
	bool has_cfa;
	uint64_t cfa;
	struct cairn_registers registers;
};

/*
 * Compute the caller. Return NOT_FOUND if the row lacks a rule for ".cfa" or ".ra", or such a rule
 * needs an unknown register; UNREADABLE if memory is unreadable; MALFORMED or UNSUPPORTED if an
 * expression is invalid at fault->offset in its string. If the rule for any other register fails,
 * only that register is unknown in the caller. A register without a rule keeps its value if calls
 * preserve it. Sets has_cfa and cfa in any case.
 */
CAIRN_MUST_USE enum cairn_status stack_cfi_caller(const struct stack_cfi_row *row,
                                                  const struct cairn_target *target,
                                                  const struct cairn_registers *frame,
                                                  struct stack_cfi_caller *caller,
                                                  struct cairn_fault *fault);

/* Find the DWARF number of a register by its Breakpad name. Return false if the name is unknown. */
bool stack_cfi_register(enum cairn_machine machine, struct cairn_bytes name, unsigned *number);

#endif
