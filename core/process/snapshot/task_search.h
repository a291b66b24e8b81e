/* SPDX-License-Identifier: MIT */
/* Finds all tasks of Swift's concurrency runtime in the memory of a snapshot. */
#ifndef CAIRN_PROCESS_SNAPSHOT_TASK_SEARCH_H
#define CAIRN_PROCESS_SNAPSHOT_TASK_SEARCH_H

#include "base/snapshot.h"
#include "unwind/step/swift_tasks.h"

enum {
	SWIFT_TASKS_MAX = 1 << 20,
	/*
	 * A mapping of a process is searched if its size is at most 2 to this power. Larger ones
	 * are reserved address space, such as AddressSanitizer's shadow, and reading it would fill
	 * the process's page tables.
	 */
	SWIFT_MAPPING_BITS = 36,
};

/* Implement swift_runtime.is_code for a struct snapshot as the context. */
bool snapshot_is_code(void *context, uint64_t pc);

struct task_copier {
	/*
	 * Copies captured bytes from their file into `block`, because reading takes less time than
	 * the page faults of a large mapping. Returns false if the bytes are not from the file. If
	 * NULL, the bytes are searched in place.
	 */
	bool (*copy)(void *context, struct cairn_bytes bytes, uint8_t *block);
	void *context;
};

/*
 * Find all live tasks in writable memory, sorted by ID. If several have the same ID, because a
 * task's memory was copied, prefer one whose `proven` is set. Set *is_cut if there are more than
 * SWIFT_TASKS_MAX, or if a mapping was too large. Return false if allocation fails. The caller frees *tasks.
 */
bool task_search(struct swift_runtime *runtime, const struct snapshot *snapshot,
                 const struct task_copier *copier, struct swift_task **tasks, size_t *count,
                 bool *is_cut);

#endif
