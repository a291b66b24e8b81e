/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a minidump, up to the stacks of its threads. Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - mappings and modules are sorted and not empty, one thread at most crashed;
 *   - a stack ends with a reason, within its limit of frames.
 */
#include "held.h"

#include "process/snapshot/minidump_snapshot.h"
#include "process/snapshot/snapshot_memory.h"
#include "process/snapshot/stack_walk.h"
#include "unwind/tables/modules.h"

enum { FRAMES = 64, THREADS = 8 };

static const char rules_text[] = "STACK CFI INIT 0 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
				 "STACK CFI 10 .cfa: $rsp 16 + $rbp: .cfa 16 - ^\n"
				 "STACK CFI INIT 100 1000 .cfa: sp 16 + .ra: .cfa 8 - ^\n"
				 "STACK CFI INIT 2000 1000 .cfa: $ebp 8 + .ra: .cfa 4 - ^\n";

static void check_lists(const struct snapshot *snapshot)
{
	unsigned crashed = 0;

	for (size_t i = 0; i < snapshot->mapping_count; i++) {
		const struct snapshot_mapping *m = &snapshot->mappings[i];
		ALWAYS(m->low < m->high && (i == 0 || m[-1].low <= m->low));
	}
	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snapshot_module *m = &snapshot->modules[i];
		ALWAYS(m->low < m->high && (i == 0 || m[-1].low <= m->low));
	}
	for (size_t i = 0; i < snapshot->thread_count; i++)
		crashed += snapshot->threads[i].crashed;
	ALWAYS(crashed <= 1);
}

static void check_stack(struct cairn_space *space, const struct snapshot_thread *thread)
{
	struct stack_walk walk = { .space = space, .limit = FRAMES, .may_scan = true };
	uint64_t frames = 0;
	bool more = stack_walk_begin(&walk, &thread->registers);

	ALWAYS(more || walk.end == CAIRN_STACK_NO_CONTEXT);
	while (more) {
		ALWAYS(walk.level == frames);
		frames++;
		more = stack_walk_next(&walk);
	}
	ALWAYS(frames <= FRAMES && walk.end != CAIRN_STACK_GOES_ON);
}

static const struct stack_cfi *find_rules(void *context, uint64_t pc, uint64_t *low)
{
	*low = pc & ~(uint64_t)0xffff;
	return context;
}

static void report_modules(struct cairn_space *space, const struct snapshot *snapshot)
{
	cairn_space_begin_modules(space);
	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snapshot_module *m = &snapshot->modules[i];
		const struct cairn_host_module report = { .name = m->path,
			                                  .low = m->low,
			                                  .high = m->high,
			                                  .machine = snapshot->machine,
			                                  .big_endian = snapshot->big_endian,
			                                  .text = { m->low, m->high } };
		enum cairn_status status = cairn_space_add_module(space, &report);
		ALWAYS(status == CAIRN_OK || status == CAIRN_NO_MEMORY);
	}
	cairn_space_end_modules(space);
}

static struct stack_cfi *rules;

static void take_input(const uint8_t *data, size_t size)
{
	struct snapshot_memory memory;
	struct cairn_fault fault;
	struct snapshot snapshot;

	if (minidump_snapshot_open(&snapshot, (struct cairn_bytes){ data, size }, &fault) !=
	    CAIRN_OK)
		return;
	check_lists(&snapshot);
	snapshot_memory_open(&memory, &snapshot);
	struct cairn_space *space = cairn_space_new(&memory.target);
	ALWAYS(space && rules);
	space->breakpad = (struct stack_cfi_files){ find_rules, rules };
	report_modules(space, &snapshot);
	for (size_t i = 0; i < snapshot.thread_count && i < THREADS; i++)
		check_stack(space, &snapshot.threads[i]);
	cairn_space_free(space);
	snapshot_close(&snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!rules)
		rules = stack_cfi_new((struct cairn_bytes){ (const uint8_t *)rules_text,
		                                            sizeof(rules_text) - 1 });
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
