/* SPDX-License-Identifier: MIT */
/*
 * All that a GSYM file knows, function by function, as writers of other formats take it.
 *
 *	struct gsym_losses losses;
 *	status = gsym_functions(&gsym, &sink, false, &losses);
 *	if (losses.count)
 *		... losses.first is what was wrong with the first of them
 *
 * What struct function promises is seen to here: rows are put in order, ranges of inlined calls cut
 * to those of the call around them, so that each address has the answer that a lookup gives.
 * Functions that the linker folded into the code of another follow it, with the same start.
 *
 * A function whose record cannot be read is left out; one with a damaged block keeps what was read
 * before the damage.  Both count as losses, and neither ends the reading.  It does not look into
 * the records beforehand, and gives no account of every flaw: that is gsym_check_function().
 */
#ifndef CAIRN_SYMBOLS_SOURCES_GSYM_GSYM_H
#define CAIRN_SYMBOLS_SOURCES_GSYM_GSYM_H

#include "formats/gsym/gsym.h"
#include "model/function.h"

struct gsym_losses {
	uint64_t count;           /* functions that lost something */
	struct cairn_fault first; /* OK when there are none */
};

/*
 * In the order of the file, which is that of the functions' starts.  CAIRN_OK, NO_MEMORY, or what
 * the sink returned.  `losses` may be NULL.
 *
 * With `every_row` a function has all rows that the file has for one address, where struct function
 * promises one: for debuggers, which look for the address of a line, too.  The last of them holds.
 */
CAIRN_MUST_USE enum cairn_status gsym_functions(const struct gsym *gsym,
                                                const struct function_sink *sink, bool every_row,
                                                struct gsym_losses *losses);

#endif
