/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: unwind rules, and the SFrame tables that contain them. A rule describes where
 * the caller's registers are; unwind.h applies it.
 *
 *	const struct cairn_rule *rule;
 *	struct cairn_rules *rules = cairn_rules_new(section, address);
 *	if (rules && cairn_rules_find(rules, va, &rule, &fault) == CAIRN_OK)
 *		printf("CFA: r%d%+d\n", rule->cfa.base, (int)rule->cfa.offset);
 *	cairn_rules_free(rules);
 */
#ifndef CAIRN_INCLUDE_RULES_H
#define CAIRN_INCLUDE_RULES_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ways to compute one of the caller's values, named as in DWARF 5, section 6.4.1 */
enum cairn_register_rule_kind {
	/* not recoverable; if the return address is undefined, there is no caller */
	CAIRN_REGISTER_UNDEFINED,
	CAIRN_REGISTER_SAME_VALUE, /* unchanged from this frame */
	CAIRN_REGISTER_VALUE,      /* base + offset */
	CAIRN_REGISTER_MEMORY,     /* word in memory at base + offset */
};

/* value of `base` for rules relative to the CFA (canonical frame address) */
enum { CAIRN_BASE_CFA = 0xffff };

/* Rule for one of the caller's values. */
struct cairn_register_rule {
	enum cairn_register_rule_kind kind;
	uint16_t base; /* DWARF register number, or CAIRN_BASE_CFA */
	int64_t offset;
};

/* An unwind table's row for the instructions in [start, end). */
struct cairn_rule {
	struct cairn_register_rule cfa, ra, fp;
	uint64_t start, end;   /* va range of the instructions to which the row applies */
	uint64_t function;     /* va of the function's first byte */
	uint64_t function_end; /* va just past the function's last byte */
	enum cairn_machine machine;
	bool outermost; /* there is no caller; this is not an error */
	/* the caller was interrupted, so its pc is exact and not a return address */
	bool signal;
	/* the frame is a signal frame whose registers can only be read from the signal context */
	bool trampoline;
	bool mangled; /* the return address carries authentication bits (aarch64) */
	bool key_b;   /* the return address is signed with key B (aarch64) */
	/* cairn has corrected an error that some linkers are known to make in such rows */
	bool patched;
};

/*
 * The unwind rules in one `.sframe` section of SFrame version 1, 2 or 3 (specified by GNU
 * binutils), in either byte order. Lookups take a va. A valid, sorted section with a single table
 * is searched in place without allocation. For several tables, unsorted tables, and sections that
 * are searched often, an index is built once; its size is a small multiple of the section's.
 */
struct cairn_rules;

/*
 * Open an .sframe section. It borrows `section` until cairn_rules_free(); `address` is the va of
 * the section's first byte. The caller frees the result. Returns NULL if allocation fails. The
 * result can be used even if the section is damaged: only lookups that need damaged bytes fail.
 */
CAIRN_API struct cairn_rules *cairn_rules_new(struct cairn_bytes section, uint64_t address);

/* Free the rules. NULL is allowed. */
CAIRN_API void cairn_rules_free(struct cairn_rules *rules);

/*
 * Find the rule for the instruction at `va`. *rule belongs to `rules` and stays valid until the
 * next call on `rules`. Returns NOT_FOUND if no row covers `va`; TRUNCATED or MALFORMED if the
 * table is damaged there; UNSUPPORTED if cairn does not read the table's version; NO_MEMORY. Unless
 * the status is CAIRN_OK, *fault describes the problem with its offset in the section. `fault` may
 * be NULL.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_rules_find(struct cairn_rules *rules, uint64_t va,
                                                            const struct cairn_rule **rule,
                                                            struct cairn_fault *fault);

/*
 * Build the index of all rows now. Otherwise it is built after enough lookups to justify it. The
 * index takes 12 bytes per row, and building it takes about 250 us per thousand functions.
 * Profilers benefit from this; debuggers do not need it. If allocation fails, lookups work without
 * the index.
 */
CAIRN_API void cairn_rules_build_index(struct cairn_rules *rules);

#ifdef __cplusplus
}
#endif

#endif
