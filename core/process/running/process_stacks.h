/* SPDX-License-Identifier: MIT */
/*
 * Locates the stacks of a thread: the one that its stack pointer is on, and those that frames on it
 * lead to. A signal handler may run on its own stack and may have interrupted code on a
 * makecontext() stack; code may have switched to another stack while its frame pointer still refers
 * to the first. The functions are members of struct os_thread_plan.
 */
#ifndef CAIRN_PROCESS_RUNNING_PROCESS_STACKS_H
#define CAIRN_PROCESS_RUNNING_PROCESS_STACKS_H

#include "model/snapshot.h"
#include "os/process/thread_capture.h"

struct process_stacks {
	const struct snapshot *snapshot; /* its mappings must be sorted */
	const struct os_process *process;
	struct cairn_range main_stack; /* stack of the first thread, as named by the kernel */
};

/* `context` is a struct process_stacks. */
struct os_stack_range process_stacks_first(void *context, const void *registers, size_t size);
size_t process_stacks_further(void *context, const struct os_captured_thread *thread, size_t run,
                              struct cairn_bytes copied,
                              struct os_stack_range further[OS_THREAD_STACKS]);

#endif
