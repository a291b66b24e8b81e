/* SPDX-License-Identifier: MIT */
/*
 * Plans which memory of a streamed core is kept: stacks within their budgets, and code around each
 * pc.
 */
#include "plan.h"

#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"
#include "parts.h"
#include "process/snapshot/snapshot_modules.h"
#include "stream.h"

#include <stdlib.h>

enum {
	AT_RANDOM = 25, /* address of 16 bytes in the main thread's stack, above its first frame */
	/* Bytes below the stack pointer that a leaf function may use; ppc64's is the largest. */
	RED_ZONE = 288,
	CODE_BEFORE = 64,  /* bytes before a pc, which may include a call */
	CODE_SIZE = 256,   /* bytes of code that the unwinder may follow where no table covers it */
	CODE_MAX = 1 << 14 /* threads whose code is kept; for others it must come from files */
};

struct stack_want {
	size_t thread;
	uint64_t low, size;
	bool outermost; /* keep the outermost end if it is truncated */
};

struct stack_wants {
	struct stack_want *item;
	size_t count, room;
};

bool core_plan_add_thread(struct core_plan *plan, const struct core_plan_thread *thread)
{
	return ARRAY_APPEND(plan->threads, plan->thread_count, plan->thread_room, *thread);
}

static int compare_parts(const void *left, const void *right)
{
	const struct core_part *a = left, *b = right;

	return ORDER_BY(a->notes, b->notes, ORDER_BY(a->va, b->va, 0));
}

/* Return the segment that contains `address`, or NULL. `parts` is sorted by address. */
static const struct core_part *find_part(const struct core_part *parts, size_t count,
                                         uint64_t address)
{
	const size_t next = SORTED_UP_TO(parts, count, va, address);

	return next > 0 && address - parts[next - 1].va < parts[next - 1].size ? &parts[next - 1]
	                                                                       : NULL;
}

static bool add_stack(struct stack_wants *wants, const struct stack_want *want)
{
	return ARRAY_APPEND(wants->item, wants->count, wants->room, *want);
}

static bool add_stacks(struct stack_wants *wants, const struct core_plan_thread *thread,
                       const struct core_part *parts, size_t count)
{
	const struct core_part *here = find_part(parts, count, thread->sp);
	const struct core_part *home = thread->home ? find_part(parts, count, thread->home) : NULL;

	if (here) {
		const uint64_t used = thread->sp - here->va;
		const uint64_t skipped = used < RED_ZONE ? 0 : used - RED_ZONE;
		const struct stack_want want = { thread->thread, here->va + skipped,
			                         here->size - skipped, false };
		if (!add_stack(wants, &want))
			return false;
	}
	if (!home || home == here)
		return true;
	const struct stack_want want = { thread->thread, home->va, home->size, true };
	return add_stack(wants, &want);
}

static bool runs_apart(const struct core_plan_thread *thread, const struct core_part *parts,
                       size_t count)
{
	const struct core_part *home = thread->home ? find_part(parts, count, thread->home) : NULL;

	return home && home != find_part(parts, count, thread->sp);
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Sum the bytes of all stacks except the crashed thread's, if none gets more than `most`. */
static uint64_t sum_stacks(const struct stack_wants *wants, size_t crashed, uint64_t most)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < wants->count; i++)
		if (wants->item[i].thread != crashed)
			sum += smaller_of(wants->item[i].size, most);
	return sum;
}

/* Return the share of each stack such that they all fit beside the crashed thread's stacks. */
static uint64_t share_budget(const struct stack_wants *wants, size_t crashed)
{
	uint64_t left = CORE_STREAM_STACKS, low = 0, high = CORE_STREAM_STACK;

	for (size_t i = 0; i < wants->count; i++)
		if (wants->item[i].thread == crashed)
			left -= smaller_of(
				smaller_of(wants->item[i].size, CORE_STREAM_CRASHED_STACK), left);
	while (low < high) {
		uint64_t middle = high - (high - low) / 2;
		if (sum_stacks(wants, crashed, middle) <= left)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Append a range; range_merge() sorts them later. */
static bool append_want(struct core_plan *plan, uint64_t low, uint64_t size)
{
	if (!array_grow(&plan->wants, &plan->room, plan->count + 1, sizeof(*plan->wants)))
		return false;
	plan->wants[plan->count] =
		(struct cairn_range){ low, low + smaller_of(size, UINT64_MAX - low) };
	plan->count += size > 0;
	return true;
}

static bool plan_stacks(struct core_plan *plan, struct snapshot *snapshot,
                        struct stack_wants *wants)
{
	const size_t crashed = core_parts_crashed_thread(snapshot);
	const uint64_t share = share_budget(wants, crashed);

	for (size_t i = 0; i < wants->count; i++) {
		struct stack_want *want = &wants->item[i];
		const uint64_t most = want->thread == crashed ? CORE_STREAM_CRASHED_STACK : share;
		if (want->size > most) {
			snapshot->threads[want->thread].stack_cut = true;
			want->low += want->outermost ? want->size - most : 0;
			want->size = most;
		}
		if (!append_want(plan, want->low, want->size))
			return false;
	}
	return true;
}

static bool plan_code(struct core_plan *plan)
{
	for (size_t i = 0; i < plan->thread_count && i < CODE_MAX; i++)
		if (plan->threads[i].pc > CODE_BEFORE &&
		    !append_want(plan, plan->threads[i].pc - CODE_BEFORE, CODE_SIZE))
			return false;
	return true;
}

/*
 * Set the main thread's own stack, which contains the data that the kernel passed to the program.
 */
static void find_main_stack(struct core_plan *plan, const struct snapshot *snapshot)
{
	uint64_t random;

	if (!snapshot_auxv(snapshot, AT_RANDOM, &random))
		return;
	for (size_t i = 0; i < plan->thread_count; i++)
		if (snapshot->threads[plan->threads[i].thread].tid == snapshot->pid)
			plan->threads[i].home = random;
}

bool core_plan_make(struct core_plan *plan, struct snapshot *snapshot, struct core_part *parts,
                    size_t count)
{
	struct stack_wants wants = { .item = NULL };
	size_t segments = 0;
	bool good = true;

	if (count > 0)
		qsort(parts, count, sizeof(*parts), compare_parts);
	while (segments < count && !parts[segments].notes)
		segments++;
	find_main_stack(plan, snapshot);
	const size_t crashed = core_parts_crashed_thread(snapshot);
	plan->apart = crashed < plan->thread_count &&
	              runs_apart(&plan->threads[crashed], parts, segments);
	for (size_t i = 0; good && i < plan->thread_count; i++)
		good = add_stacks(&wants, &plan->threads[i], parts, segments);
	good = good && plan_stacks(plan, snapshot, &wants) && plan_code(plan);
	free(wants.item);
	plan->count = range_merge(plan->wants, plan->count);
	return good;
}

/* Return the index of the first range that ends at or above `address`. */
static size_t find_want(const struct core_plan *plan, uint64_t address)
{
	return SORTED_BELOW(plan->wants, plan->count, high, address);
}

bool core_plan_add(struct core_plan *plan, uint64_t low, uint64_t size)
{
	uint64_t high = low + smaller_of(size, UINT64_MAX - low);
	const size_t first = find_want(plan, low);
	size_t end = first;

	if (low == high)
		return true;
	if (!array_grow(&plan->wants, &plan->room, plan->count + 1, sizeof(*plan->wants)))
		return false;
	for (; end < plan->count && plan->wants[end].low <= high; end++) {
		low = smaller_of(low, plan->wants[end].low);
		high = plan->wants[end].high > high ? plan->wants[end].high : high;
	}
	memmove(&plan->wants[first + 1], &plan->wants[end],
	        (plan->count - end) * sizeof(*plan->wants));
	plan->wants[first] = (struct cairn_range){ low, high };
	plan->count = plan->count - (end - first) + 1;
	return true;
}

size_t core_plan_first(const struct core_plan *plan, uint64_t address)
{
	size_t first = find_want(plan, address);

	return first < plan->count && plan->wants[first].high == address ? first + 1 : first;
}

void core_plan_finish(struct core_plan *plan)
{
	free(plan->threads);
	free(plan->wants);
	*plan = (struct core_plan){ .threads = NULL };
}
