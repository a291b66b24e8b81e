/* SPDX-License-Identifier: MIT */
/*
 * Formats unwind rules, in the same way for all output formats:
 *
 *	sp+8  fp+16  r10+0  cfa+0    value of a register (DWARF number) or the CFA, plus an offset
 *	[cfa-16]  [r10-8]            contents of memory at that address
 *	u                            unchanged; for the return address: still in its register
 *	undef                        undefined return address: the outermost frame
 *	-                            no rule
 */
#ifndef CAIRN_OUTPUT_RULE_H
#define CAIRN_OUTPUT_RULE_H

#include <cairn.h>

enum {
	RULE_PLACE_CAPACITY = 40,
	RULE_FLAGS_CAPACITY = 8,
	RULE_FLAGS = 6,
};

struct rule_text {
	char cfa[RULE_PLACE_CAPACITY], fp[RULE_PLACE_CAPACITY], ra[RULE_PLACE_CAPACITY];
	char flags[RULE_FLAGS_CAPACITY];
};

/*
 * Format a rule. Its flags are S (signal frame), B (pointer-authentication key B), M (signed return
 * address), U (undefined return address), P (corrected row) and T (signal trampoline without a
 * rule), or "-" for no flags.
 */
struct rule_text rule_text(const struct cairn_rule *rule);

/* Return the name of flag `index` (below RULE_FLAGS) if the rule has that flag, otherwise NULL. */
const char *rule_flag_name(const struct cairn_rule *rule, unsigned index);

#endif
