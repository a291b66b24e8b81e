/* SPDX-License-Identifier: MIT */
/* Ranges of memory: in order, apart, and no more of them than can be read, of the source or of copies. */
#include "plan.h"

#include "base/array_grow.h"
#include "base/range.h"
#include "unwind/target/memory.h"

enum { PAGE = 4096 };

void capture_plan_add(struct capture_plan *plan, struct cairn_range wanted)
{
	if (wanted.low < wanted.high &&
	    !ARRAY_APPEND(plan->ranges, plan->count, plan->room, wanted))
		plan->scarce = true;
}

/* A range may lie in several mappings, segments and copies, and a read in one. */
static enum cairn_status read_in_parts(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct capture_plan *plan = context;
	uint8_t *out = buffer;

	for (size_t done = 0, got; done < size; done += got) {
		got = memory_read_some(plan->memory, address + done, out + done, size - done);
		if (got == 0)
			got = memory_read_some(&plan->copies.core.target, address + done,
			                       out + done, size - done);
		if (got == 0)
			return CAIRN_UNREADABLE;
	}
	return CAIRN_OK;
}

struct cairn_target capture_plan_memory(struct capture_plan *plan,
                                        const struct cairn_target *memory)
{
	plan->memory = memory;
	return (struct cairn_target){ .read_memory = read_in_parts, .context = plan };
}

/* Adds the parts of a range that can be read; behind a hole in a page nothing is looked for until the next page. */
static void add_readable(struct capture_plan *plan, const struct cairn_target *memory,
                         struct cairn_range range)
{
	struct cairn_range run = { range.low, range.low };
	uint8_t page[PAGE];

	for (uint64_t at = range.low; at < range.high;) {
		const uint64_t left = range.high - at, rest = PAGE - at % PAGE;
		const size_t size = (size_t)(left < rest ? left : rest);
		const size_t got = memory_read_some(memory, at, page, size);
		run.high = at + got;
		at += got > 0 ? got : size;
		if (got > 0)
			continue;
		capture_plan_add(plan, run);
		run = (struct cairn_range){ at, at };
	}
	capture_plan_add(plan, run);
}

void capture_plan_settle(struct capture_plan *plan, const struct cairn_target *memory)
{
	plan->count = range_merge(plan->ranges, plan->count);
	struct cairn_range *wanted = plan->ranges;
	const size_t count = plan->count;
	plan->ranges = NULL;
	plan->count = plan->room = 0;
	for (size_t i = 0; i < count; i++)
		add_readable(plan, memory, wanted[i]);
	free(wanted);
}
