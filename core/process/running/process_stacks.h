/* SPDX-License-Identifier: MIT */
/*
 * Which memory of a process are the stacks of a thread: the one that its stack pointer is on, and those that lead on from
 * it. A handler of signals may run on a stack of its own, and may have interrupted one that makecontext() was given; code may
 * have changed to another stack with its frame pointer left on the first. Members of struct os_thread_plan.
 */
#ifndef CAIRN_PROCESS_RUNNING_PROCESS_STACKS_H
#define CAIRN_PROCESS_RUNNING_PROCESS_STACKS_H

#include "model/snapshot.h"
#include "os/process/thread_capture.h"

struct process_stacks {
	const struct snapshot *snapshot; /* with its mappings, sorted */
	const struct os_process *process;
	struct cairn_range main_stack; /* of the first thread, as the kernel names it */
};

/* `context` is a struct process_stacks. */
struct os_stack_range process_stacks_first(void *context, const void *registers, size_t size);
size_t process_stacks_further(void *context, const struct os_captured_thread *thread, size_t run,
                              struct cairn_bytes copied,
                              struct os_stack_range further[OS_THREAD_STACKS]);

#endif
