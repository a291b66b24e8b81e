/* SPDX-License-Identifier: MIT */
/* Notes the runs of stack that frames are on. */
#include "stack_runs.h"

enum {
	RED_ZONE = 128, /* bytes below the stack pointer that a leaf function may use */
	PAST_CFA = 64,  /* what a debugger looks at behind the outermost frame */
	SIGNAL_FRAME =
		1280, /* of what the kernel saves for a handler: up to the last integer register */
	GUARD = 1 << 16, /* below a stack that overflowed */
};

/* The mapping of a stack; of one that overflowed the stack pointer is below it. */
static const struct snapshot_mapping *find_stack(const struct snapshot *snapshot, uint64_t sp)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, sp);

	if (mapping && (!mapping->has_access || (mapping->access & SNAPSHOT_READ)))
		return mapping;
	mapping = snapshot_next_mapping(snapshot, sp);
	return mapping && mapping->low - sp <= GUARD ? mapping : NULL;
}

static uint64_t move_down(uint64_t address, uint64_t size, uint64_t lowest)
{
	return address > lowest && address - lowest > size ? address - size : lowest;
}

static uint64_t move_up(uint64_t address, uint64_t size, uint64_t highest)
{
	return address < highest && highest - address > size ? address + size : highest;
}

/* The run in this mapping; a new one begins at `low`. */
static struct cairn_range *find_run(struct stack_runs *runs, const struct snapshot_mapping *mapping,
                                    uint64_t low)
{
	for (size_t i = 0; i < runs->count; i++)
		if (runs->run[i].low >= mapping->low && runs->run[i].low < mapping->high) {
			runs->last = i;
			return &runs->run[i];
		}
	if (runs->count == STACK_RUNS_MAX)
		return NULL;
	runs->last = runs->count;
	runs->run[runs->count] = (struct cairn_range){ low, low };
	return &runs->run[runs->count++];
}

void stack_runs_take(struct stack_runs *runs, uint64_t sp, uint64_t cfa, bool signal)
{
	const struct snapshot_mapping *mapping = find_stack(runs->snapshot, sp);

	if (!mapping)
		return;
	const uint64_t low = move_down(sp, RED_ZONE, mapping->low);
	struct cairn_range *run = find_run(runs, mapping, low);
	if (!run)
		return;
	const uint64_t from = sp < mapping->low ? mapping->low : sp;
	uint64_t high = move_up(from, signal ? SIGNAL_FRAME : PAST_CFA, mapping->high);
	if (cfa > from && cfa <= mapping->high && move_up(cfa, PAST_CFA, mapping->high) > high)
		high = move_up(cfa, PAST_CFA, mapping->high);
	run->low = low < run->low ? low : run->low;
	run->high = high > run->high ? high : run->high;
}

void stack_runs_extend(struct stack_runs *runs, uint64_t most)
{
	if (runs->count == 0)
		return;
	struct cairn_range *run = &runs->run[runs->last];
	const struct snapshot_mapping *mapping = find_stack(runs->snapshot, run->low);
	const uint64_t high = mapping ? move_up(run->low, most, mapping->high) : run->high;
	run->high = high > run->high ? high : run->high;
}
