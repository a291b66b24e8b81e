/* SPDX-License-Identifier: MIT */
/* Notes the runs of stack that frames are on. */
#include "stack_runs.h"

enum {
	RED_ZONE = 128, /* bytes below the stack pointer that a leaf function may use */
	PAST_CFA = 64,  /* what a debugger looks at behind the outermost frame */
	SIGNAL_FRAME =
		1280, /* of what the kernel saves for a handler: up to the last integer register */
	GUARD = 1 << 16,     /* below a stack that overflowed */
	APART = 1 << 16,     /* between the frames of two stacks that share a mapping */
	FRAME_MAX = 1 << 20, /* bytes of a frame; of a larger one the ends are kept */
	SAVED = 512,         /* bytes below a CFA that hold saved registers */
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

/* Return the run that the range continues, or a new one; NULL if there are too many. */
static struct cairn_range *find_run(struct stack_runs *runs, const struct snapshot_mapping *mapping,
                                    struct cairn_range range)
{
	for (size_t i = 0; i < runs->count; i++) {
		const struct cairn_range *run = &runs->run[i];
		if (run->low >= mapping->low && run->low < mapping->high &&
		    range.low <= move_up(run->high, APART, mapping->high) &&
		    range.high >= move_down(run->low, APART, mapping->low)) {
			runs->last = i;
			return &runs->run[i];
		}
	}
	if (runs->count == STACK_RUNS_MAX) {
		runs->scarce = true;
		return NULL;
	}
	runs->last = runs->count;
	runs->run[runs->count] = range;
	return &runs->run[runs->count++];
}

static void take_part(struct stack_runs *runs, uint64_t sp, uint64_t cfa, bool signal)
{
	const struct snapshot_mapping *mapping = find_stack(runs->snapshot, sp);

	if (!mapping)
		return;
	const uint64_t from = sp < mapping->low ? mapping->low : sp;
	struct cairn_range range = { move_down(sp, RED_ZONE, mapping->low),
		                     move_up(from, signal ? SIGNAL_FRAME : PAST_CFA,
		                             mapping->high) };
	if (cfa > from && cfa <= mapping->high &&
	    move_up(cfa, PAST_CFA, mapping->high) > range.high)
		range.high = move_up(cfa, PAST_CFA, mapping->high);
	struct cairn_range *run = find_run(runs, mapping, range);
	if (!run)
		return;
	run->low = range.low < run->low ? range.low : run->low;
	run->high = range.high > run->high ? range.high : run->high;
}

/*
 * Add what lies below a CFA that the stack pointer does not lead to. On AArch64 a frame record may be anywhere in its frame, so that
 * a caller that was found by its frame pointer has no stack pointer: it begins where the frame before it ended, unless that
 * one was on another stack. Code with a stack of its own (GHC) has its frames there.
 */
static void take_below_cfa(struct stack_runs *runs, uint64_t cfa)
{
	const struct snapshot_mapping *mapping = find_stack(runs->snapshot, cfa - 1);

	if (!mapping || cfa < mapping->low)
		return;
	const bool follows =
		runs->cfa >= mapping->low && runs->cfa < cfa && cfa - runs->cfa <= FRAME_MAX;
	take_part(runs, follows ? runs->cfa : move_down(cfa, SAVED, mapping->low), cfa, false);
}

void stack_runs_take(struct stack_runs *runs, uint64_t sp, uint64_t cfa, bool signal)
{
	const struct snapshot_mapping *mapping = find_stack(runs->snapshot, sp);
	const bool near = mapping && cfa >= mapping->low && cfa <= mapping->high &&
	                  (cfa < sp || cfa - sp <= FRAME_MAX);

	if (sp != 0)
		take_part(runs, sp, near ? cfa : 0, signal || !near);
	if (cfa != 0 && (sp == 0 || !near || cfa < sp))
		take_below_cfa(runs, cfa);
	runs->cfa = cfa;
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
