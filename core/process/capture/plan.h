/* SPDX-License-Identifier: MIT */
/*
 * Which memory of a program a minidump gets, and why: the stacks, as far as walking them shows that they are in use, code
 * around program counters that no file has, what the program has registered of made code that frames are in, the vDSO,
 * headers of modules without a build ID, and the message of abort().
 *
 *	struct capture_plan plan;
 *	struct cairn_stacks *stacks = NULL;  which the caller has opened
	if (capture_plan_make(&plan, stacks))
 *		... plan.ranges, plan.stacks
 *	capture_plan_finish(&plan);
 */
#ifndef CAIRN_PROCESS_CAPTURE_PLAN_H
#define CAIRN_PROCESS_CAPTURE_PLAN_H

#include "process/core/kept.h"
#include "process/stacks/stacks.h"

struct capture_plan {
	struct cairn_range *ranges; /* that the source's memory has; ascending and apart */
	size_t count, room;
	struct cairn_range *stacks; /* of each thread: the innermost one, in one of the ranges */
	struct core_kept copies;    /* of memory that the program may change before it is written */
	const struct cairn_target *memory; /* of the source, which comes before the copies */
	size_t whole; /* threads whose stacks are there up to their outermost frames */
	bool scarce;  /* memory is short */
};

/* Walks all threads. False: memory is short; the plan has to be finished all the same. */
bool capture_plan_make(struct capture_plan *plan, struct cairn_stacks *stacks);
void capture_plan_finish(struct capture_plan *plan);

/* Adds memory that is wanted, of which the source may have less. */
void capture_plan_add(struct capture_plan *plan, struct cairn_range wanted);

/* Reads the memory of the source, and copies where that has nothing; good as long as both are. */
struct cairn_target capture_plan_memory(struct capture_plan *plan,
                                        const struct cairn_target *memory);

/* Keeps of the ranges what `memory` reads, and puts them into order. */
void capture_plan_settle(struct capture_plan *plan, const struct cairn_target *memory);

#endif
