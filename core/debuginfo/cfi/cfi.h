/* SPDX-License-Identifier: MIT */
/*
 * The unwind rules of .eh_frame, read by libdw, in the shape that SFrame's have, so that the two
 * can be compared.  It answers for one address and returns how far the answer holds.  Expressions are
 * worked out with registers kept as names: the few forms that compilers and linkers write (sums,
 * one dereference, and the PLT's, which depend on the address alone) become places, others are
 * CAIRN_REGISTER_UNDEFINED.
 *
 * Built without libdw, debuginfo_cfi_open() always declines.
 */
#ifndef CAIRN_DEBUGINFO_CFI_CFI_H
#define CAIRN_DEBUGINFO_CFI_CFI_H

#include <cairn.h>

struct debuginfo_cfi;

/*
 * libdw runs the program of an entry from its start for each address, and keeps what it made of expressions:
 * an entry of 400 kB with 100,000 rows would be run for 10 s.
 */
enum {
	/* Bytes of entries that are run, half a nanosecond each. Real programs need some 50 a byte. */
	DEBUGINFO_CFI_WORK_BASE = 1 << 30,
	DEBUGINFO_CFI_WORK_FACTOR = 1 << 11,
	/* Operations that are kept, 64 bytes each. Real programs have some 10, in their PLT. */
	DEBUGINFO_CFI_OPERATIONS_BASE = 1 << 16,
	DEBUGINFO_CFI_OPERATION_BYTES = 16, /* of the file allow one more */
};

/*
 * `file` is a whole ELF file, borrowed until debuginfo_cfi_close.  NULL when there is nothing to
 * ask; *why gives the reason then, in a phrase.
 */
struct debuginfo_cfi *debuginfo_cfi_open(struct cairn_bytes file, enum cairn_machine machine,
                                         const char **why);
void debuginfo_cfi_close(struct debuginfo_cfi *cfi);

/* Was it too much?  From then on nothing is found. */
bool debuginfo_cfi_exhausted(const struct debuginfo_cfi *cfi);

/*
 * The rule for `va`, good for [rule->start, rule->end).  NOT_FOUND when no entry covers it or its
 * entry cannot be read.
 */
CAIRN_MUST_USE enum cairn_status debuginfo_cfi_find(struct debuginfo_cfi *cfi, uint64_t va,
                                                    struct cairn_rule *rule);

#endif
