/* SPDX-License-Identifier: MIT */
/*
 * The unwind rules of one Breakpad symbol file by address.
 *
 *	struct stack_cfi *rules = stack_cfi_new(file);
 *	struct stack_cfi_row row;
 *	if (stack_cfi_find(rules, va, &row, &fault) == CAIRN_OK)
 *		... row.rule[0] to row.rule[row.count - 1]
 *	stack_cfi_free(rules);
 *
 * The file is read once for its STACK CFI INIT records, of which an index is kept (24 bytes per
 * record). The records that follow an INIT record are read at lookup. Addresses are relative to the
 * start of the module. STACK WIN records are skipped.
 */
#ifndef CAIRN_UNWIND_TABLES_STACK_CFI_H
#define CAIRN_UNWIND_TABLES_STACK_CFI_H

#include <cairn.h>

#include "formats/breakpad.h"

enum {
	STACK_CFI_RULES_MAX = 64, /* registers in one row; machines have up to 33 */
	/* records after one INIT; the longest known sequence has about 3000 */
	STACK_CFI_DELTAS_MAX = 1 << 14,
};

struct stack_cfi;

/* The rules in force at an address: the latest one for each register. */
struct stack_cfi_row {
	uint64_t function;
	uint64_t start, end;
	size_t count;
	struct breakpad_rule rule[STACK_CFI_RULES_MAX];
};

/* Index a file, whose bytes are borrowed. Return NULL if memory is short. */
struct stack_cfi *stack_cfi_new(struct cairn_bytes file);
void stack_cfi_free(struct stack_cfi *rules);

/* Return the number of ranges with rules; 0 if no usable rules exist. */
size_t stack_cfi_count(const struct stack_cfi *rules);

/*
 * Find the rules for an address. Return NOT_FOUND if no record covers it, MALFORMED if a record for
 * it is invalid, UNSUPPORTED if the limits above are exceeded. *fault has the location in the file.
 */
CAIRN_MUST_USE enum cairn_status stack_cfi_find(const struct stack_cfi *rules, uint64_t va,
                                                struct stack_cfi_row *row,
                                                struct cairn_fault *fault);

/* Return the rule for a register, ".cfa" or ".ra", or NULL. */
const struct breakpad_rule *stack_cfi_rule(const struct stack_cfi_row *row, const char *name);

#endif
