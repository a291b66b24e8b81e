/* SPDX-License-Identifier: MIT */
/*
 * Reads the unwind rules of .eh_frame with libdw and converts them to SFrame rules, so that both
 * formats can be compared. Each rule includes the range of addresses that it covers. Expressions
 * are evaluated symbolically. The few forms that compilers and linkers emit (sums, one dereference,
 * and PLT expressions, which depend only on the address) are converted; others become
 * CAIRN_REGISTER_UNDEFINED.
 *
 * Without libdw, debuginfo_cfi_open() always fails.
 */
#ifndef CAIRN_DEBUGINFO_CFI_H
#define CAIRN_DEBUGINFO_CFI_H

#include <cairn.h>

struct debuginfo_cfi;

/*
 * Limits that bound the time libdw takes. For each address, libdw runs the instructions of an FDE
 * from the start, and it never frees parsed expressions. An FDE of 400 kB with 100,000 rows would
 * otherwise take 10 s.
 */
enum {
	/*
	 * Bytes of CFI instructions that libdw may execute, at half a nanosecond each. Real
	 * programs need about 50 per file byte.
	 */
	DEBUGINFO_CFI_WORK_BASE = 1 << 30,
	DEBUGINFO_CFI_WORK_FACTOR = 1 << 11,
	/*
	 * DWARF expression operations that libdw keeps, 64 bytes each. Real programs have about 10,
	 * in the FDEs of their PLT.
	 */
	DEBUGINFO_CFI_OPERATIONS_BASE = 1 << 16,
	/* allow one more operation per this many bytes of the file */
	DEBUGINFO_CFI_OPERATION_BYTES = 16,
};

/*
 * Open the unwind rules of `file`, a whole ELF file that is borrowed until debuginfo_cfi_close().
 * If the file has no rules, returns NULL and sets *why to a phrase that states the reason.
 */
struct debuginfo_cfi *debuginfo_cfi_open(struct cairn_bytes file, enum cairn_machine machine,
                                         const char **why);
void debuginfo_cfi_close(struct debuginfo_cfi *cfi);

/* Return true if a limit has been exceeded. Lookups then find no rule. */
bool debuginfo_cfi_exhausted(const struct debuginfo_cfi *cfi);

/*
 * Find the rule for `va`, which applies to [rule->start, rule->end). Returns NOT_FOUND if no valid
 * FDE covers `va`.
 */
CAIRN_MUST_USE enum cairn_status debuginfo_cfi_find(struct debuginfo_cfi *cfi, uint64_t va,
                                                    struct cairn_rule *rule);

#endif
