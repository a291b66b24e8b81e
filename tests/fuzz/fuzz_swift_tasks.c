/* SPDX-License-Identifier: MIT */
/*
 * The writable memory of a Swift program, of any bytes from LOW on; its first word is the isa of tasks.
 * Always:
 *   - tasks are found once each, in the order of their IDs, with their isa in memory;
 *   - a task that does not run has contexts, which end in its own allocation;
 *   - no more contexts are read than steps are left.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "process/snapshot/task_search.h"

#include <stdlib.h>
#include <string.h>

enum { LOW = 0x10000, CODE = 0x4000, CODE_SIZE = 0x1000, STEPS = 1 << 12 };

static enum cairn_status read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct cairn_bytes *bytes = context;
	const uint64_t at = address - LOW;

	if (at > bytes->size || size > bytes->size - at)
		return CAIRN_UNREADABLE;
	memcpy(buffer, bytes->data + at, size);
	return CAIRN_OK;
}

static void check_task(struct swift_runtime *runtime, const struct cairn_bytes *bytes,
                       const struct swift_task *task)
{
	struct swift_chain chain = { .pc = NULL };
	char name[CAIRN_TASK_NAME];

	ALWAYS(task->address - LOW <= bytes->size - SWIFT_TASK_SIZE);
	ALWAYS(bytes_u64(bytes->data + (task->address - LOW), false) == runtime->isa);
	ALWAYS(task->proven || task->state == CAIRN_TASK_RUNNING);
	ALWAYS(swift_task_name(runtime, task, name) <= CAIRN_TASK_NAME);
	runtime->steps_left = STEPS;
	if (swift_read_chain(runtime, task->context, &chain)) {
		ALWAYS(chain.count > 0 && chain.count <= SWIFT_CHAIN_MAX);
		ALWAYS(chain.count + runtime->steps_left == STEPS);
		ALWAYS(!task->proven || chain.outermost - task->address < SWIFT_OUTERMOST_MAX);
		for (size_t i = 0; i < chain.count; i++)
			ALWAYS(runtime->is_code(runtime->context, chain.pc[i]));
	}
	swift_chain_finish(&chain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data, size };
	const struct cairn_target target = { read_memory, &bytes };
	struct snapshot_mapping mappings[] = {
		{ .low = CODE,
		  .high = CODE + CODE_SIZE,
		  .access = SNAPSHOT_EXECUTE,
		  .has_access = true },
		{ .low = LOW, .high = LOW + size, .access = SNAPSHOT_WRITE, .has_access = true },
	};
	const struct snapshot snapshot = { .mappings = mappings,
		                           .mapping_count = size > 0 ? 2 : 1 };
	struct swift_runtime runtime = { .is_code = snapshot_is_code,
		                         .context = (void *)&snapshot,
		                         .memory = &target,
		                         .version = SWIFT_LAYOUT_FIRST,
		                         .task_size = SWIFT_TASK_SIZE,
		                         .steps_left = STEPS };
	const struct task_copier in_place = { NULL, NULL };
	struct swift_task *tasks;
	size_t count;
	bool is_cut;

	if (size < sizeof(runtime.isa))
		return 0;
	runtime.isa = bytes_u64(data, false);
	ALWAYS(task_search(&runtime, &snapshot, &in_place, &tasks, &count, &is_cut));
	for (size_t i = 0; i < count; i++) {
		ALWAYS(i == 0 || tasks[i - 1].id < tasks[i].id);
		check_task(&runtime, &bytes, &tasks[i]);
	}
	swift_chain_finish(&runtime.own);
	free(tasks);
	return 0;
}
