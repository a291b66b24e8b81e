/* SPDX-License-Identifier: MIT */
/*
 * All rows of an FDE, in one run of its instructions.  cfi_rules_find() finds one row and runs them from
 * the start for each address.
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
	struct cfi_row row; /* the latest */
	struct cfi_run run;
	uint64_t end; /* of the FDE */
	bool over;
	struct cfi_row first, memory[CFI_REMEMBERED];
};

/* `cie` and `fde` must outlive the walk, which must stay where it is. */
CAIRN_MUST_USE enum cairn_status cfi_walk_open(struct cfi_walk *walk, const struct ehframe_cie *cie,
                                               const struct ehframe_fde *fde,
                                               struct cairn_fault *fault);

/*
 * The next row, adjacent to the one before; the first begins where the FDE does, and the last ends there.
 * NOT_FOUND: the row before was the last.  A fault ends the walk.
 */
CAIRN_MUST_USE enum cairn_status cfi_walk_next(struct cfi_walk *walk, struct cairn_fault *fault);

#endif
