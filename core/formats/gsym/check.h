/* SPDX-License-Identifier: MIT */
/* Finds structural flaws of a GSYM file that opens. */
#ifndef CAIRN_FORMATS_GSYM_CHECK_H
#define CAIRN_FORMATS_GSYM_CHECK_H

#include "gsym.h"

/*
 * Lists the structural flaws of a GSYM file that opens: first in the tables, then in each function.
 * A read error in a block ends the check of that block only.
 */
enum { GSYM_FLAWS_MAX = 64 }; /* maximum per function; further flaws are only counted */

struct gsym_flaws {
	struct cairn_fault list[GSYM_FLAWS_MAX];
	unsigned count, more;
};

/*
 * Check the tables. Start with *next = 0 and repeat the call until *next is 0 again, because the
 * list may fill up.
 */
void gsym_check_tables(const struct gsym *gsym, uint32_t *next, struct gsym_flaws *flaws);
void gsym_check_function(const struct gsym *gsym, uint32_t index, struct gsym_nodes *scratch,
                         struct gsym_flaws *flaws);

#endif
