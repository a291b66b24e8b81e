/* SPDX-License-Identifier: MIT */
/*
 * Unwind rules as text, the same in every form of output:
 *
 *	sp+8  fp+16  r10+0  cfa+0    the value of a register (DWARF number) or the CFA, plus a number
 *	[cfa-16]  [r10-8]            what memory holds there
 *	u                            unchanged; the return address: still in its register
 *	undef                        there is none: the outermost frame
 *	-                            not said
 */
#ifndef CAIRN_OUTPUT_RULE_H
#define CAIRN_OUTPUT_RULE_H

#include <cairn.h>

enum {
	RULE_PLACE_ROOM = 40,
	RULE_FLAGS_ROOM = 8,
	RULE_FLAGS = 6, /* how many there are */
};

/* The texts of one rule. */
struct rule_text {
	char cfa[RULE_PLACE_ROOM], fp[RULE_PLACE_ROOM], ra[RULE_PLACE_ROOM];
	char flags[RULE_FLAGS_ROOM];
};

/*
 * flags: S signal frame, B key B, M signed return address, U return address undefined, P a false
 * row put right, T signal trampoline without a rule; "-" none.
 */
struct rule_text rule_text(const struct cairn_rule *rule);

/* Name of flag number `index` (below RULE_FLAGS) when the rule has it, else NULL. */
const char *rule_flag_name(const struct cairn_rule *rule, unsigned index);

#endif
