/* SPDX-License-Identifier: MIT */
/* The structural flaws of a GSYM file that opens. */
#ifndef CAIRN_FORMATS_GSYM_CHECK_H
#define CAIRN_FORMATS_GSYM_CHECK_H

#include "gsym.h"

/*
 * Every structural flaw, one after the other: first those of the tables, then function by function.
 * One flaw in a block ends the reading of that block, not of the others.
 */
enum { GSYM_FLAWS_MAX = 64 }; /* of one function; more are counted */

struct gsym_flaws {
	struct cairn_fault list[GSYM_FLAWS_MAX];
	unsigned count, more;
};

/* Call it with *next = 0 until *next is 0 again. */
void gsym_check_tables(const struct gsym *gsym, uint32_t *next, struct gsym_flaws *flaws);
void gsym_check_function(const struct gsym *gsym, uint32_t index, struct gsym_nodes *scratch,
                         struct gsym_flaws *flaws);

#endif
