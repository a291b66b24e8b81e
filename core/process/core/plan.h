/* SPDX-License-Identifier: MIT */
/*
 * Selects the memory of a streamed core to keep. The plan is made from the threads and segments
 * before the first segment is read, and extended when headers of modules are read.
 *
 *	core_plan_add_thread(&plan, &thread);                    each thread, while notes are read
 *	core_plan_make(&plan, &snapshot, parts, count);          when all are in
 *	for (size_t i = core_plan_first(&plan, low); i < plan.count && plan.wants[i].low < high; i++)
 *		... plan.wants[i]
 *	core_plan_finish(&plan);
 */
#ifndef CAIRN_PROCESS_CORE_PLAN_H
#define CAIRN_PROCESS_CORE_PLAN_H

#include "model/snapshot.h"

struct core_part {
	uint64_t offset, va, size;
	bool notes;
};

struct core_plan_thread {
	size_t thread;
	uint64_t sp, pc;
	uint64_t home; /* address in the thread's own stack, near its outermost end; 0 if unknown */
};

struct core_plan {
	struct core_plan_thread *threads;
	size_t thread_count, thread_room;
	struct cairn_range *wants; /* sorted and disjoint */
	size_t count, room;
	bool apart; /* the crashed thread runs on another stack than its own */
};

bool core_plan_add_thread(struct core_plan *plan, const struct core_plan_thread *thread);

/*
 * Plan the stacks, within their budgets, and the code around each pc. Sets stack_cut for threads
 * whose stacks are truncated, and reorders `parts`. Return false if memory is short.
 */
bool core_plan_make(struct core_plan *plan, struct snapshot *snapshot, struct core_part *parts,
                    size_t count);

bool core_plan_add(struct core_plan *plan, uint64_t low, uint64_t size);

/* Return the index of the first range that contains `address` or lies above it. */
size_t core_plan_first(const struct core_plan *plan, uint64_t address);

void core_plan_finish(struct core_plan *plan);

#endif
