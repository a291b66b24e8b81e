/* SPDX-License-Identifier: MIT */
/*
 * A GSYM file that was made, held against its input: the input is read a second time, and every
 * function's rows and inlined calls are looked up in the file as any user would.
 *
 * A function that is not in the file is passed over when another one has its very range, as is one
 * that units give again; so are addresses that belong to a shorter function too.
 */
#ifndef CAIRN_WRITERS_GSYM_RECHECK_H
#define CAIRN_WRITERS_GSYM_RECHECK_H

#include "debuginfo/source/function_source.h"
#include "symbols/lookup/kept_functions.h"

struct gsym_recheck {
	struct gsym_recheck_piece {
		struct cairn_symbols *symbols;
		uint64_t start; /* of its first function */
		bool *done;     /* for each function: it was looked up */
	} * piece;              /* in the order of their addresses */
	size_t pieces, room;

	uint64_t functions, addresses; /* looked up */
	uint64_t folded, hidden;       /* passed over */
	uint64_t wrong;
	uint64_t first_wrong; /* the address */

	struct kept_functions kept; /* the function that is looked up */
	struct call_index index;    /* of its calls, when they are many */
	bool is_indexed;
	struct gsym_recheck_pair *pair; /* texts of it that were found equal */
};

/* One more piece, whose bytes are borrowed; false when it does not open or memory is short. */
bool gsym_recheck_add(struct gsym_recheck *check, struct cairn_bytes bytes);
void gsym_recheck_finish(struct gsym_recheck *check);

/* Reads the input again, which *error is about; what differs is counted. */
CAIRN_MUST_USE enum cairn_status gsym_recheck(struct cairn_functions *origin,
                                              struct gsym_recheck *check,
                                              struct cairn_error *error);

#endif
