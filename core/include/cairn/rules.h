/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: unwind rules, and the tables of SFrame that hold them.  A rule says where the
 * registers of the caller are; unwind.h applies it.
 */
#ifndef CAIRN_INCLUDE_RULES_H
#define CAIRN_INCLUDE_RULES_H

#include <cairn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cairn_register_rule_kind {
	CAIRN_REGISTER_UNDEFINED,  /* not recoverable; for the return address: there is no caller */
	CAIRN_REGISTER_SAME_VALUE, /* unchanged from this frame */
	CAIRN_REGISTER_VALUE,      /* base + offset */
	CAIRN_REGISTER_MEMORY,     /* what memory holds at base + offset */
};

enum { CAIRN_BASE_CFA = 0xffff };

/* Where one value of the caller is. */
struct cairn_register_rule {
	enum cairn_register_rule_kind kind;
	uint16_t base; /* DWARF register number, or CAIRN_BASE_CFA */
	int64_t offset;
};

/* All that an unwind table says of the instructions in [start, end). */
struct cairn_rule {
	struct cairn_register_rule cfa, ra, fp;
	uint64_t start, end;   /* va; the rows with this rule */
	uint64_t function;     /* va of the function's first byte */
	uint64_t function_end; /* va just behind it */
	enum cairn_machine machine;
	bool outermost;  /* there is no caller: an outcome, not an error */
	bool signal;     /* the caller was interrupted: its pc is exact, not a return address */
	bool trampoline; /* a signal frame whose registers only the signal context holds */
	bool mangled;    /* the return address carries authentication bits (aarch64) */
	bool key_b;      /* signed with key B (aarch64) */
	bool patched;    /* a known false row of a linker, put right */
};

/*
 * Unwind rules of one `.sframe` section of any version and byte order.  Lookups take linked
 * addresses.  A sound, sorted section of one table is searched in place without allocation;
 * several tables, unsorted ones, and sections asked often get an index, made once and bounded by
 * a small multiple of the section.
 */
struct cairn_rules;

/*
 * `section` is borrowed until cairn_rules_free; `address` is where its first byte lies as linked.
 * NULL when memory is short.  A damaged section gives a usable object that finds nothing and
 * says why.
 */
CAIRN_API struct cairn_rules *cairn_rules_new(struct cairn_bytes section, uint64_t address);
CAIRN_API void cairn_rules_free(struct cairn_rules *rules);

/*
 * The rule for `va`.  *rule stays valid until the next call on `rules`.  When the outcome is not
 * CAIRN_OK, `fault` (may be NULL) says what is wrong where, as an offset in the section.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_rules_find(struct cairn_rules *rules, uint64_t va,
                                                            const struct cairn_rule **rule,
                                                            struct cairn_fault *fault);

/*
 * Make the index over all rows now instead of when it begins to pay: 12 bytes a row, some 250 us
 * for each thousand functions.  For profilers; a debugger need not call it.
 */
CAIRN_API void cairn_rules_build_index(struct cairn_rules *rules);

#ifdef __cplusplus
}
#endif

#endif
