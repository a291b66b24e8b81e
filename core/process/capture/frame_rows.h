/* SPDX-License-Identifier: MIT */
/*
 * What leads from frames to their callers, where debuggers without cairn would not know it: of each such frame of all walks the
 * distance from its stack pointer to its CFA and where its return address and its caller's frame pointer are.
 *
 *	struct frame_rows rows;
 *	if (frame_rows_collect(&rows, stacks))
 *		... rows.row[0 .. rows.count)
 *	frame_rows_finish(&rows);
 */
#ifndef CAIRN_PROCESS_CAPTURE_FRAME_ROWS_H
#define CAIRN_PROCESS_CAPTURE_FRAME_ROWS_H

#include "process/stacks/stacks.h"

enum { FRAME_ROWS_MAX = 1 << 16 }; /* further rows are left out */

/* The frames at one address. */
struct frame_row {
	uint64_t lookup;           /* pc: inside the call, or exact */
	uint64_t from_sp, from_fp; /* the CFA, counted from the frame's registers */
	bool has_sp, has_fp;       /* the distance is the same in all frames */
	bool ends;                 /* no caller is known */
	struct cairn_rule rule;
	/* what is there; empty: not known.  It lives as long as the stacks */
	struct cairn_bytes function;
	uint64_t start; /* pc where that begins */
};

struct frame_rows {
	struct frame_row *row; /* ascending by address, which no two have */
	size_t count, room;
	uint64_t ambiguous; /* addresses at which one distance does not lead on from all frames */
	uint64_t left_out;  /* frames that have no row */
	bool full;          /* nothing more is taken */
	bool scarce;        /* memory is short */
};

/* Walks all threads, which ends the walk of cairn_stacks_begin(). False: memory is short; the rows have to be finished all the same. */
bool frame_rows_collect(struct frame_rows *rows, struct cairn_stacks *stacks);
void frame_rows_finish(struct frame_rows *rows);

/* The rule that the row stands for. */
struct cairn_rule frame_row_rule(const struct frame_row *row, enum cairn_machine machine);

/* The first row at or above the address. */
size_t frame_rows_find(const struct frame_rows *rows, uint64_t lookup);

#endif
