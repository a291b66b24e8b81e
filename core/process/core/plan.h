/* SPDX-License-Identifier: MIT */
/*
 * Which memory of a streamed core is kept: made of its threads and segments before the first of the
 * segments is read, and completed by what the headers of modules tell.
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

/* A run of bytes of the core: notes, or memory. */
struct core_part {
	uint64_t offset, va, size;
	bool notes;
};

/* Where a thread's stacks are. */
struct core_plan_thread {
	size_t thread; /* in the snapshot */
	uint64_t sp, pc;
	uint64_t home; /* an address in its own stack, near the outermost end; 0: not known */
};

struct core_plan {
	struct core_plan_thread *threads;
	size_t thread_count, thread_room;
	struct cairn_range *wants; /* ascending and apart */
	size_t count, room;
	bool apart; /* the crashed thread runs on another stack than its own */
};

bool core_plan_add_thread(struct core_plan *plan, const struct core_plan_thread *thread);

/*
 * Plans the stacks, within their budgets, and the code that threads stopped at; marks threads whose stacks are
 * cut. The parts are reordered. False: memory is short.
 */
bool core_plan_make(struct core_plan *plan, struct snapshot *snapshot, struct core_part *parts,
                    size_t count);

/* One more; false: memory is short. */
bool core_plan_add(struct core_plan *plan, uint64_t low, uint64_t size);

/* The first want that holds the address, or lies above it. */
size_t core_plan_first(const struct core_plan *plan, uint64_t address);

void core_plan_finish(struct core_plan *plan);

#endif
