/* SPDX-License-Identifier: MIT */
/*
 * Selects the memory to include in a minidump: the ranges of stacks that a walk has found to be in
 * use, code around program counters that is not in a file, registered JIT code that contains
 * frames, the vDSO, headers of modules without a build ID, and the message of abort().
 */
#ifndef CAIRN_PROCESS_CAPTURE_PLAN_H
#define CAIRN_PROCESS_CAPTURE_PLAN_H

#include "process/snapshot/core_snapshot.h"
#include "process/stacks/stacks.h"

struct capture_plan {
	/* memory ranges to write; sorted and disjoint */
	struct cairn_range *ranges;
	size_t count, capacity;
	/* innermost stack of each thread; lies within one of `ranges` */
	struct cairn_range *stacks;
	/* copies of memory that the program may change before the minidump is written */
	struct core_kept copies;
	/* source's memory; takes precedence over `copies` */
	const struct cairn_target *memory;
	size_t whole; /* number of threads whose stacks are complete up to the outermost frame */
	bool scarce;
};

void capture_plan_finish(struct capture_plan *plan);

void capture_plan_add(struct capture_plan *plan, struct cairn_range wanted);

/* Reduce the ranges to their readable bytes, and sort and merge them. */
void capture_plan_settle(struct capture_plan *plan, const struct cairn_target *memory);

#endif
