/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: unwind rules, and the SFrame tables that contain them. A rule describes where
 * the registers of the caller are; unwind.h applies it.
 */
#ifndef CAIRN_INCLUDE_RULES_H
#define CAIRN_INCLUDE_RULES_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to compute one value of the caller, in the terms of DWARF 5, section 6.4.1. */
enum cairn_register_rule_kind {
	CAIRN_REGISTER_UNDEFINED,  /* not recoverable; for the return address: there is no caller */
	CAIRN_REGISTER_SAME_VALUE, /* unchanged from this frame */
	CAIRN_REGISTER_VALUE,      /* base + offset */
	CAIRN_REGISTER_MEMORY,     /* word in memory at base + offset */
};

/* Value of `base` in a rule that is relative to the CFA, the canonical frame address. */
enum { CAIRN_BASE_CFA = 0xffff };

/* Location of one value of the caller. */
struct cairn_register_rule {
	enum cairn_register_rule_kind kind;
	uint16_t base;  /* DWARF register number, or CAIRN_BASE_CFA */
	int64_t offset; /* bytes */
};

/* Entry of an unwind table for the instructions in [start, end). */
struct cairn_rule {
	struct cairn_register_rule cfa, ra, fp;
	uint64_t start, end;   /* va; the rule applies to these instructions */
	uint64_t function;     /* va of the function's first byte */
	uint64_t function_end; /* va just past its last byte */
	enum cairn_machine machine;
	bool outermost; /* there is no caller; this is not an error */
	/* the caller was interrupted, so its pc is exact and not a return address */
	bool signal;
	bool trampoline; /* signal frame whose registers are only in the signal context */
	bool mangled;    /* the return address carries authentication bits (aarch64) */
	bool key_b;      /* signed with key B (aarch64) */
	bool patched;    /* cairn corrected a row that a linker is known to write incorrectly */
};

/*
 * The unwind rules of one `.sframe` section of SFrame version 1, 2 or 3 (specified by GNU
 * binutils), in either byte order. Lookups take addresses as linked. A valid, sorted section with a
 * single table is searched in place without allocation. Several tables, unsorted tables, and
 * sections that are searched often get an index, which is built once and takes a small multiple of
 * the section's size.
 */
struct cairn_rules;

/*
 * Open an .sframe section. It borrows `section` until cairn_rules_free(); `address` is the va of
 * the section's first byte. The caller frees the result. Returns NULL if memory is short. A damaged
 * section gives a usable object; lookups in its damaged parts fail with the fault.
 */
CAIRN_API struct cairn_rules *cairn_rules_new(struct cairn_bytes section, uint64_t address);

/* Free the rules. NULL is allowed. */
CAIRN_API void cairn_rules_free(struct cairn_rules *rules);

/*
 * Find the rule for the instruction at `va`. *rule belongs to `rules` and stays valid until the
 * next call on it. Returns NOT_FOUND if no row covers `va`; TRUNCATED or MALFORMED if the table is
 * damaged there; UNSUPPORTED if it has another version; NO_MEMORY. If the result is not CAIRN_OK,
 * *fault describes the problem and its offset in the section. `fault` may be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_rules_find(struct cairn_rules *rules, uint64_t va,
                                                            const struct cairn_rule **rule,
                                                            struct cairn_fault *fault);

/*
 * Build the index over all rows now instead of when enough lookups have justified it. It takes 12
 * bytes for each row and some 250 us for each thousand functions. Meant for profilers; a debugger
 * does not need it. If memory is short, lookups search without the index.
 */
CAIRN_API void cairn_rules_build_index(struct cairn_rules *rules);

#ifdef __cplusplus
}
#endif

#endif
