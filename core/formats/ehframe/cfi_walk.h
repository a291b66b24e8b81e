/* SPDX-License-Identifier: MIT */
/*
 * Iterates over all rows of an FDE in a single run of its instructions. cfi_rules_find() finds one
 * row, and runs the instructions from the start for each address.
 *
 *	struct cfi_walk walk;
 *	status = cfi_walk_open(&walk, &cie, &fde, &fault);
 *	while (status == CAIRN_OK && (status = cfi_walk_next(&walk, &fault)) == CAIRN_OK)
 *		... walk.row, which holds for [walk.row.start, walk.row.end)
 */
#ifndef CAIRN_FORMATS_CFI_WALK_H
#define CAIRN_FORMATS_CFI_WALK_H

#include "cfi_run.h"

struct cfi_walk {
	struct cfi_row row;
	struct cfi_run run;
	uint64_t end;
	bool over;
	struct cfi_row first, memory[CFI_REMEMBERED];
};

/*
 * Start a walk. `cie` and `fde` must outlive it. The walk contains pointers to itself, so it must
 * not be moved or copied.
 */
CAIRN_MUST_USE enum cairn_status cfi_walk_open(struct cfi_walk *walk, const struct ehframe_cie *cie,
                                               const struct ehframe_fde *fde,
                                               struct cairn_fault *fault);

/*
 * Set walk->row to the next row. Rows are adjacent; together they cover the whole FDE. Return
 * CAIRN_NOT_FOUND after the last row. Any other failure ends the walk.
 */
CAIRN_MUST_USE enum cairn_status cfi_walk_next(struct cfi_walk *walk, struct cairn_fault *fault);

#endif
