/* SPDX-License-Identifier: MIT */
/* Selects the memory for a capture, and writes a minidump of a program whose stacks are open. */
#include "plan.h"

#include "loader.h"

#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/target_memory.h"
#include "process/snapshot/core_snapshot.h"
#include "process/snapshot/snapshot_modules.h"
#include "writers/capture/minidump_writer.h"

#include <cairn.h>

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	CODE_BEFORE = 64,
	CODE_SIZE = 256,
	/*
	 * Limits in bytes for stacks that could not be walked to their ends: minimum and maximum
	 * per thread, and maximum for all threads. The crashed thread's stack is exempt.
	 */
	UNWALKED_LEAST = 2 << 10,
	UNWALKED_MOST = 32 << 10,
	UNWALKED_ALL = 512 << 10,
	MADE_CODE = 4 << 20,
	CONTEXTS = 1 << 16, /* maximum number of async contexts in a minidump; each has 16 bytes */

	STACK_RUNS_MAX = 16,
	RED_ZONE = 128,
	PAST_CFA = 64,       /* number of bytes above the outermost frame that debuggers read */
	SIGNAL_FRAME = 1280, /* size of a signal frame up to the last integer register */
	/* maximum distance from the stack pointer up to the mapping of a stack that overflowed */
	GUARD = 1 << 16,
	APART = 1 << 16, /* minimum distance between the frames of two stacks in one mapping */
	/* maximum size of a frame; only the two ends of a larger frame are kept */
	FRAME_MAX = 1 << 20,
	SAVED = 512, /* number of bytes below a CFA that contain saved registers */
};

/*
 * The ranges of a thread's stacks that a walk has found to be in use. A thread may have several
 * stacks, because a signal handler may have its own and code may switch to another. Call
 * stack_runs_take() for each frame from the innermost outwards, and stack_runs_extend() if the walk
 * did not reach the outermost frame.
 */
struct stack_runs {
	const struct snapshot *snapshot;
	struct cairn_range run[STACK_RUNS_MAX];
	size_t count;
	size_t last;
	uint64_t cfa;
	bool scarce;
};

/*
 * Return the mapping that contains a stack, or NULL. If the stack overflowed, `sp` is below its
 * mapping.
 */
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

/*
 * Return the run of stack memory that overlaps `range` or is at most APART bytes away from it. If
 * there is no such run, add one that consists of `range`. Return NULL if there are too many runs.
 */
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
 * Add the memory below a frame's CFA if the stack pointer does not show the extent of the frame. On
 * AArch64 a frame record may be anywhere in its frame, so the stack pointer of a caller found
 * through the frame pointer is unknown. Such a caller begins where the previous frame ended, unless
 * that frame was on another stack. Code that manages its own stack (GHC) also keeps its frames
 * below the CFA.
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

/*
 * Add a frame. The caller's registers are saved between the frame's stack pointer and its CFA. `sp`
 * or `cfa` is 0 if it is unknown.
 */
static void stack_runs_take(struct stack_runs *runs, uint64_t sp, uint64_t cfa, bool signal)
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

/*
 * Add at most `most` bytes of the last frame's stack, because the walk has not shown how much of
 * the stack is in use.
 */
static void stack_runs_extend(struct stack_runs *runs, uint64_t most)
{
	if (runs->count == 0)
		return;
	struct cairn_range *run = &runs->run[runs->last];
	const struct snapshot_mapping *mapping = find_stack(runs->snapshot, run->low);
	const uint64_t high = mapping ? move_up(run->low, most, mapping->high) : run->high;
	run->high = high > run->high ? high : run->high;
}

void capture_plan_add(struct capture_plan *plan, struct cairn_range wanted)
{
	if (wanted.low < wanted.high &&
	    !ARRAY_APPEND(plan->ranges, plan->count, plan->capacity, wanted))
		plan->scarce = true;
}

/*
 * Read a range piece by piece, because a single read of the source covers only one mapping or
 * segment, or one of the copies.
 */
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

/*
 * Return a target that reads the source's memory or, where that is unreadable, the plan's copies.
 * Borrows `plan` and `memory`.
 */
static struct cairn_target capture_plan_memory(struct capture_plan *plan,
                                               const struct cairn_target *memory)
{
	plan->memory = memory;
	return (struct cairn_target){ .read_memory = read_in_parts, .context = plan };
}

/* Add the readable parts of a range. Continue after an unreadable page. */
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
	plan->count = plan->capacity = 0;
	for (size_t i = 0; i < count; i++)
		add_readable(plan, memory, wanted[i]);
	free(wanted);
}

struct planning {
	struct capture_plan *plan;
	struct cairn_stacks *stacks;
	uint64_t left;
	uint64_t contexts_left;
};

/*
 * Add the code around a program counter, because the unwinder follows this code or checks that it
 * contains a call. The code may not be in a file, or the file may be missing where the minidump is
 * read. Cores rarely contain code.
 */
static void plan_code(struct planning *p, uint64_t pc)
{
	if (pc > CODE_BEFORE && pc < UINT64_MAX - CODE_SIZE)
		capture_plan_add(p->plan, (struct cairn_range){ pc - CODE_BEFORE,
		                                                pc - CODE_BEFORE + CODE_SIZE });
	if (!stacks_note_made_frame(p->stacks, pc))
		p->plan->scarce = true;
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

/*
 * Add the stacks and the code of a thread's frames. Return true if the walk reached the outermost
 * frame.
 */
static bool walk_thread(struct planning *p, size_t thread, struct stack_runs *runs)
{
	struct cairn_stacks *stacks = p->stacks;
	const struct stacks_memory_sink sink = { take_copy, &p->plan->copies };
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);
	uint64_t before = 0;

	if (!cairn_stacks_begin(stacks, thread))
		return false;
	do {
		cairn_stacks_frame(stacks, &frame);
		if (!frame.async) {
			stack_runs_take(runs, registers_stack_pointer(&stacks->walk.registers),
			                frame.cfa, frame.signal);
			p->plan->scarce |= !stacks_give_contexts(stacks, &p->contexts_left, &sink);
		}
		if (frame.pc != before)
			plan_code(p, frame.pc);
		before = frame.pc;
	} while (cairn_stacks_next(stacks));
	if (stacks->walk.end == CAIRN_STACK_OUTERMOST)
		return !runs->scarce;
	uint64_t share = UNWALKED_ALL / stacks->snapshot.thread_count;
	if (stacks->snapshot.threads[thread].crashed)
		share = CORE_STREAM_CRASHED_STACK;
	else if (share < UNWALKED_LEAST)
		share = UNWALKED_LEAST;
	else if (share > UNWALKED_MOST)
		share = UNWALKED_MOST;
	stack_runs_extend(runs, share);
	return false;
}

/*
 * Add the stacks of a thread. Each stack has its own limit, because a signal handler may run on a
 * separate stack after the thread's own stack has grown to its maximum.
 */
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

/*
 * Add the stacks of all threads. The crashed thread comes first, because the threads share one
 * limit.
 */
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

/*
 * Copy the list of GDB's JIT interface now, because the process may change it before the minidump
 * is written.
 */
static void plan_jit_code(struct planning *p)
{
	struct core_kept *copies = &p->plan->copies;
	const struct stacks_memory_sink sink = { take_copy, copies };

	if (!stacks_give_jit_code(p->stacks, MADE_CODE, &sink))
		p->plan->scarce = true;
	core_kept_finish(copies);
	for (size_t i = 0; i < copies->core.count; i++) {
		const struct corefile_range *copy = &copies->core.range[i];
		capture_plan_add(p->plan, (struct cairn_range){ copy->address,
		                                                copy->address + copy->bytes.size });
	}
}

/* Reduce each thread's stack to the readable range that contains the stack pointer. */
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

static bool capture_plan_make(struct capture_plan *plan, struct cairn_stacks *stacks)
{
	struct planning p = { plan, stacks, CORE_STREAM_STACKS, CONTEXTS };
	struct cairn_range message[STACKS_MESSAGE_RANGES];

	*plan = (struct capture_plan){ .ranges = NULL };
	plan->stacks = calloc(stacks->snapshot.thread_count + 1, sizeof(*plan->stacks));
	if (!plan->stacks)
		return false;
	plan_threads(&p);
	plan_modules(&p);
	const size_t count = stacks_find_abort_message(stacks, message);
	for (size_t i = 0; i < count; i++)
		capture_plan_add(plan, message[i]);
	plan_jit_code(&p);
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

static enum cairn_status write_file(struct cairn_stacks *stacks, struct capture_plan *plan,
                                    const struct loader_facts *loader,
                                    const struct cairn_minidump_options *options,
                                    struct cairn_minidump_summary *summary,
                                    struct cairn_error *error)
{
	const struct snapshot *snapshot = &stacks->snapshot;
	const struct cairn_target memory = capture_plan_memory(plan, &snapshot->memory);
	const struct minidump_draft draft = {
		.snapshot = snapshot,
		.memory = &memory,
		.ranges = plan->ranges,
		.range_count = plan->count,
		.stacks = plan->stacks,
		.program = loader->program,
		.dynamics = loader->dynamics,
		.dynamic = { loader->dynamic, loader->dynamic_size },
		.loader = loader->base,
		.loader_break = loader->brk,
		.time = options->time,
	};

	summary->threads = snapshot->thread_count;
	summary->whole = plan->whole;
	/* do not count second mappings of a file, because the minidump does not list them */
	for (size_t i = 0; i < snapshot->module_count; i++)
		summary->modules += !snapshot->modules[i].remapped;
	for (size_t i = 0; i < plan->count; i++)
		summary->memory += plan->ranges[i].high - plan->ranges[i].low;
	return minidump_write(&draft, options->write, options->context, &summary->bytes, error);
}

enum cairn_status cairn_minidump_write(struct cairn_stacks *stacks,
                                       const struct cairn_minidump_options *options,
                                       struct cairn_minidump_summary *summary,
                                       struct cairn_error *error)
{
	struct cairn_minidump_options own = CAIRN_MINIDUMP_OPTIONS;
	struct cairn_minidump_summary filled = { .size = sizeof(filled) };
	struct capture_plan plan = { .ranges = NULL };
	struct loader_facts loader = { .dynamics = NULL };
	struct cairn_thread thread = CAIRN_SIZED(struct cairn_thread);
	enum cairn_status status;

	sized_take(&own, sizeof(own), options);
	if (stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP)
		return error_set(error, CAIRN_UNSUPPORTED, NULL, "already a minidump");
	/* use the thread names that only the host knows */
	for (size_t i = 0; i < stacks->snapshot.thread_count; i++)
		if (cairn_stacks_thread(stacks, i, &thread))
			stacks->snapshot.threads[i].name = thread.name;
	if (capture_plan_make(&plan, stacks) && loader_facts_find(&loader, stacks))
		status = write_file(stacks, &plan, &loader, &own, &filled, error);
	else
		status = error_set_memory(error, NULL);
	if (status == CAIRN_OK)
		sized_give(&filled, sizeof(filled), summary);
	loader_facts_finish(&loader);
	capture_plan_finish(&plan);
	return status;
}
