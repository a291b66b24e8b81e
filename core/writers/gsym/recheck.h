/* SPDX-License-Identifier: MIT */
/*
 * Verifies a GSYM file against its input. The input is read again, and the rows and inlined calls
 * of all functions are looked up in the file in the same way as by any user.
 *
 * A function that is not in the file is skipped if another function with the same range is, or if
 * an earlier unit contains it too. Addresses that also belong to a shorter function are skipped as
 * well.
 */
#ifndef CAIRN_WRITERS_GSYM_RECHECK_H
#define CAIRN_WRITERS_GSYM_RECHECK_H

#include "debuginfo/source/function_source.h"
#include "symbols/lookup/kept_functions.h"

struct gsym_recheck {
	struct gsym_recheck_piece {
		struct cairn_symbols *symbols;
		uint64_t start; /* start of the first function in the file */
		bool *done;     /* for each function of the file, whether it was looked up */
	} * piece;              /* sorted by address */
	size_t pieces, room;

	uint64_t functions, addresses;
	uint64_t folded, hidden; /* numbers of skipped functions and skipped addresses */
	uint64_t wrong;
	uint64_t first_wrong; /* address of the first difference */

	struct kept_functions kept;
	struct call_index index;
	bool is_indexed;
	struct gsym_recheck_pair *pair; /* cache of string pairs that were found equal */
};

/* Add a file. `bytes` is borrowed. Return false if it cannot be opened or memory is short. */
bool gsym_recheck_add(struct gsym_recheck *check, struct cairn_bytes bytes);
void gsym_recheck_finish(struct gsym_recheck *check);

/* Read the input again and count differences. *error describes a failure to read the input. */
CAIRN_MUST_USE enum cairn_status gsym_recheck(struct cairn_functions *origin,
                                              struct gsym_recheck *check,
                                              struct cairn_error *error);

#endif
