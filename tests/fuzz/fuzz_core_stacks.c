/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a core file, up to the stacks of its threads. Always:
 *   - no more memory is held at a time than the promise allows, and none is left;
 *   - mappings are sorted and not empty, modules likewise;
 *   - a stack ends with a reason, within its limit of frames.
 */
#include "held.h"

#include "process/snapshot/core_snapshot.h"
#include "process/snapshot/snapshot_memory.h"
#include "process/snapshot/snapshot_modules.h"
#include "process/snapshot/stack_walk.h"

enum { FRAMES = 64, THREADS = 8 };

static void check_mappings(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->mapping_count; i++) {
		const struct snapshot_mapping *m = &snapshot->mappings[i];
		ALWAYS(m->low < m->high);
		ALWAYS(i == 0 || m[-1].low <= m->low);
	}
	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snapshot_module *m = &snapshot->modules[i];
		ALWAYS(m->low < m->high);
		ALWAYS(i == 0 || m[-1].low <= m->low);
	}
}

static void check_stack(struct cairn_space *space, const struct snapshot_thread *thread)
{
	struct stack_walk walk = { .space = space, .limit = FRAMES };
	uint64_t frames = 0;
	bool more = stack_walk_begin(&walk, &thread->registers);

	ALWAYS(more || walk.end == CAIRN_STACK_NO_CONTEXT);
	while (more) {
		ALWAYS(walk.level == frames);
		frames++;
		more = stack_walk_next(&walk);
	}
	ALWAYS(frames <= FRAMES);
	ALWAYS(walk.end != CAIRN_STACK_GOES_ON);
	ALWAYS(walk.end != CAIRN_STACK_UNKNOWN || walk.step.stop != CAIRN_STOP_NONE);
}

static void take_input(const uint8_t *data, size_t size)
{
	struct cairn_fault fault;
	struct snapshot snapshot;
	struct snapshot_memory memory;
	struct elf elf;

	if (elf_open((struct cairn_bytes){ data, size }, &elf, &fault) != CAIRN_OK ||
	    core_snapshot_open(&snapshot, &elf, &fault) != CAIRN_OK)
		return;
	snapshot_modules_find(&snapshot);
	check_mappings(&snapshot);
	snapshot_memory_open(&memory, &snapshot);
	struct cairn_space *space = cairn_space_new(&memory.target);
	for (size_t i = 0; space && i < snapshot.thread_count && i < THREADS; i++)
		check_stack(space, &snapshot.threads[i]);
	cairn_space_free(space);
	snapshot_close(&snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	held_begin();
	take_input(data, size);
	held_end(size, HELD_PLAIN);
	return 0;
}
