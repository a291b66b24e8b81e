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
 * The file is walked once for its STACK CFI INIT records, of which an index is kept (24 bytes for
 * each); the records that follow one are read when an address asks for them. Addresses count from
 * the beginning of the module. STACK WIN records are passed over.
 */
#ifndef CAIRN_UNWIND_STACK_CFI_STACK_CFI_H
#define CAIRN_UNWIND_STACK_CFI_STACK_CFI_H

#include <cairn.h>

#include "formats/breakpad/stack_cfi.h"

enum {
	STACK_CFI_RULES_MAX = 64, /* registers of a row; machines have up to 33 */
	STACK_CFI_DELTAS_MAX =
		1 << 14, /* records that follow one INIT; the longest known: some 3000 */
};

struct stack_cfi;

/* The rules in force at one address: the last one that was given for each register. */
struct stack_cfi_row {
	uint64_t function;   /* where its INIT record begins */
	uint64_t start, end; /* these rules hold for [start, end) */
	size_t count;
	struct breakpad_rule rule[STACK_CFI_RULES_MAX];
};

/* The file's bytes stay borrowed. NULL when memory is short. */
struct stack_cfi *stack_cfi_new(struct cairn_bytes file);
void stack_cfi_free(struct stack_cfi *rules);

/* How many ranges have rules; 0: the file has none that are read. */
size_t stack_cfi_count(const struct stack_cfi *rules);

/*
 * NOT_FOUND: no record covers the address. MALFORMED: one that should describe it cannot be read;
 * UNSUPPORTED: it has more than the limits above. *fault: where in the file.
 */
CAIRN_MUST_USE enum cairn_status stack_cfi_find(const struct stack_cfi *rules, uint64_t va,
                                                struct stack_cfi_row *row,
                                                struct cairn_fault *fault);

/* The rule for a register, ".cfa" or ".ra"; NULL when the row has none. */
const struct breakpad_rule *stack_cfi_rule(const struct stack_cfi_row *row, const char *name);

#endif
