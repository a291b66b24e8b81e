/* SPDX-License-Identifier: MIT */
/* Plans the memory of a minidump: walks each thread, and keeps what its walk came through. */
#include "plan.h"

#include "base/bisect.h"
#include "base/machine.h"
#include "process/core/stream.h"
#include "process/snapshot/vdso_image.h"
#include "stack_runs.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	CODE_BEFORE = 64,
	CODE_SIZE = 256,
	/* of stacks that could not be walked to their ends, but for that of the thread that crashed */
	UNWALKED_LEAST = 2 << 10,
	UNWALKED_MOST = 32 << 10,
	UNWALKED_ALL = 512 << 10,
	MADE_CODE = 4 << 20, /* of what is registered of code that the program has made */
};

struct planning {
	struct capture_plan *plan;
	struct cairn_stacks *stacks;
	uint64_t left; /* bytes of stacks */
};

/* What is kept of a stack that nobody knows the end of. */
static uint64_t choose_share(const struct planning *p, const struct snapshot_thread *thread)
{
	const uint64_t share = UNWALKED_ALL / p->stacks->snapshot.thread_count;

	if (thread->crashed)
		return CORE_STREAM_CRASHED_STACK;
	return share < UNWALKED_LEAST  ? UNWALKED_LEAST
	       : share > UNWALKED_MOST ? UNWALKED_MOST
	                               : share;
}

/*
 * Code at a program counter, which may be in no file, or in one that is not there where the minidump is read: it proves a
 * call, or is followed. Cores have it seldom.
 */
static void plan_code(struct planning *p, uint64_t pc)
{
	if (pc > CODE_BEFORE && pc < UINT64_MAX - CODE_SIZE)
		capture_plan_add(p->plan, (struct cairn_range){ pc - CODE_BEFORE,
		                                                pc - CODE_BEFORE + CODE_SIZE });
	if (!stacks_note_made_frame(p->stacks, pc))
		p->plan->scarce = true;
}

/* The stacks that a thread's frames are on, and their code; true: up to the outermost frame. */
static bool walk_thread(struct planning *p, size_t thread, struct stack_runs *runs)
{
	struct cairn_stacks *stacks = p->stacks;
	struct cairn_stack_frame frame;
	uint64_t before = 0;

	if (!cairn_stacks_begin(stacks, thread))
		return false;
	do {
		cairn_stacks_frame(stacks, &frame);
		stack_runs_take(runs, registers_stack_pointer(&stacks->walk.registers), frame.cfa,
		                frame.signal);
		if (frame.pc != before)
			plan_code(p, frame.pc);
		before = frame.pc;
	} while (cairn_stacks_next(stacks));
	if (stacks->walk.end == CAIRN_STACK_OUTERMOST)
		return !runs->scarce;
	stack_runs_extend(runs, choose_share(p, &stacks->snapshot.threads[thread]));
	return false;
}

/* The handler of a signal may have a stack of its own, beside one that is as large as it may become. */
static void plan_thread(struct planning *p, size_t thread)
{
	const bool crashed = p->stacks->snapshot.threads[thread].crashed;
	struct stack_runs runs = { .snapshot = &p->stacks->snapshot };
	const uint64_t most = crashed ? CORE_STREAM_CRASHED_STACK : CORE_STREAM_STACK;
	bool whole = walk_thread(p, thread, &runs);

	for (size_t i = 0; i < runs.count; i++) {
		struct cairn_range run = runs.run[i];
		const uint64_t size = most < p->left ? most : p->left;
		if (run.high - run.low > size) {
			run.high = run.low + size;
			whole = false;
		}
		p->left -= run.high - run.low;
		capture_plan_add(p->plan, run);
		if (i == 0)
			p->plan->stacks[thread] = run;
	}
	p->plan->whole += whole;
}

static void plan_modules(struct planning *p)
{
	const struct snapshot *snapshot = &p->stacks->snapshot;

	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snapshot_module *module = &snapshot->modules[i];
		const size_t image = vdso_image_size(snapshot, module);
		const uint64_t size = image > 0 ? image : module->build_id.size == 0 ? PAGE : 0;
		if (size <= UINT64_MAX - module->low)
			capture_plan_add(p->plan,
			                 (struct cairn_range){ module->low, module->low + size });
	}
}

/* The crashed thread draws on the budget first. */
static void plan_threads(struct planning *p)
{
	const struct snapshot *snapshot = &p->stacks->snapshot;

	for (size_t i = 0; i < snapshot->thread_count; i++)
		if (snapshot->threads[i].crashed)
			plan_thread(p, i);
	for (size_t i = 0; i < snapshot->thread_count && !p->plan->scarce; i++)
		if (!snapshot->threads[i].crashed)
			plan_thread(p, i);
}

static void plan_message(struct planning *p)
{
	struct cairn_range places[2];
	const size_t count = stacks_find_abort_message(p->stacks, places);

	for (size_t i = 0; i < count; i++)
		capture_plan_add(p->plan, places[i]);
}

static bool take_copy(void *context, uint64_t address, struct cairn_bytes bytes)
{
	struct core_kept *copies = context;

	if (bytes.size == 0 || bytes.size > UINT64_MAX - address)
		return true;
	uint8_t *block = core_kept_block(copies, bytes.size);
	if (!block)
		return false;
	memcpy(block, bytes.data, bytes.size);
	return core_kept_add(copies, address, (struct cairn_bytes){ block, bytes.size });
}

/* Copies the list of made code: that of a process may change before the minidump is written. */
static void plan_made_code(struct planning *p)
{
	struct core_kept *copies = &p->plan->copies;
	const struct stacks_memory_taker taker = { take_copy, copies };

	if (!stacks_give_made_code(p->stacks, MADE_CODE, &taker))
		p->plan->scarce = true;
	core_kept_finish(copies);
	for (size_t i = 0; i < copies->core.count; i++) {
		const struct corefile_range *copy = &copies->core.range[i];
		capture_plan_add(p->plan, (struct cairn_range){ copy->address,
		                                                copy->address + copy->bytes.size });
	}
}

/* A thread's stack is the readable part of the range that its stack pointer is in. */
static void clip_stacks(struct capture_plan *plan, size_t threads)
{
	for (size_t i = 0; i < threads; i++) {
		struct cairn_range *stack = &plan->stacks[i];
		const size_t next = SORTED_UP_TO(plan->ranges, plan->count, high, stack->low);

		if (next == plan->count || plan->ranges[next].low >= stack->high) {
			*stack = (struct cairn_range){ 0, 0 };
			continue;
		}
		if (plan->ranges[next].low > stack->low)
			stack->low = plan->ranges[next].low;
		if (plan->ranges[next].high < stack->high)
			stack->high = plan->ranges[next].high;
	}
}

bool capture_plan_make(struct capture_plan *plan, struct cairn_stacks *stacks)
{
	struct planning p = { plan, stacks, CORE_STREAM_STACKS };

	*plan = (struct capture_plan){ .ranges = NULL };
	plan->stacks = calloc(stacks->snapshot.thread_count + 1, sizeof(*plan->stacks));
	if (!plan->stacks)
		return false;
	plan_threads(&p);
	plan_modules(&p);
	plan_message(&p);
	plan_made_code(&p);
	const struct cairn_target memory = capture_plan_memory(plan, &stacks->snapshot.memory);
	capture_plan_settle(plan, &memory);
	clip_stacks(plan, stacks->snapshot.thread_count);
	return !plan->scarce;
}

void capture_plan_finish(struct capture_plan *plan)
{
	free(plan->ranges);
	free(plan->stacks);
	core_kept_clear(&plan->copies);
}
