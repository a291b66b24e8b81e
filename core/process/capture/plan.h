/* SPDX-License-Identifier: MIT */
/*
 * Selects the memory of a program that a minidump contains: the parts of stacks that are in use
 * according to a walk, code around program counters that is not in a file, registered JIT code that
 * contains frames, the vDSO, headers of modules without a build ID, and the message of abort().
 *
 *	struct capture_plan plan;
 *	struct cairn_stacks *stacks = NULL;  which the caller has opened
	if (capture_plan_make(&plan, stacks))
 *		... plan.ranges, plan.stacks
 *	capture_plan_finish(&plan);
 */
#ifndef CAIRN_PROCESS_CAPTURE_PLAN_H
#define CAIRN_PROCESS_CAPTURE_PLAN_H

#include "process/snapshot/core_snapshot.h"
#include "process/stacks/stacks.h"

struct capture_plan {
	/* Ranges of memory to write; sorted and disjoint. */
	struct cairn_range *ranges;
	size_t count, room;
	/* Innermost stack of each thread, contained in one of `ranges`. */
	struct cairn_range *stacks;
	/* Copies of memory that the program may change before it is written. */
	struct core_kept copies;
	/* Memory of the source; takes precedence over `copies`. */
	const struct cairn_target *memory;
	size_t whole; /* threads whose stacks are complete up to the outermost frame */
	bool scarce;
};

void capture_plan_finish(struct capture_plan *plan);

void capture_plan_add(struct capture_plan *plan, struct cairn_range wanted);

/* Reduce the ranges to what `memory` can read, sorted and disjoint. */
void capture_plan_settle(struct capture_plan *plan, const struct cairn_target *memory);

#endif
