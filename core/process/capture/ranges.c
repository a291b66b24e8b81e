/* SPDX-License-Identifier: MIT */
/* Ranges of memory: in order, apart, and no more of them than can be read. */
#include "plan.h"

#include "base/array_grow.h"
#include "base/range.h"
#include "unwind/target/memory.h"

enum { PAGE = 4096 };

static void append_range(struct capture_plan *plan, struct cairn_range range)
{
	if (range.low >= range.high)
		return;
	if (!array_grow(&plan->ranges, &plan->room, plan->count + 1, sizeof(*plan->ranges))) {
		plan->scarce = true;
		return;
	}
	plan->ranges[plan->count++] = range;
}

void capture_plan_add(struct capture_plan *plan, struct cairn_range wanted)
{
	append_range(plan, wanted);
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
		append_range(plan, run);
		run = (struct cairn_range){ at, at };
	}
	append_range(plan, run);
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
