/* SPDX-License-Identifier: MIT */
/* Copies registers and stacks of a thread that this one traces and that stands still. */
#ifndef CAIRN_OS_PROCESS_THREAD_COPY_H
#define CAIRN_OS_PROCESS_THREAD_COPY_H

#include "thread_capture.h"

struct thread_copy {
	const struct os_process *process;
	const struct os_thread_plan *plan;
	struct os_thread_capture *capture; /* its memory takes the stacks */
	size_t used;                       /* of that memory */
	size_t share;                      /* of it for one thread */
};

/* Sets thread->error when they cannot be had. */
void thread_copy_registers(struct os_captured_thread *thread);

void thread_copy_stacks(struct thread_copy *copy, struct os_captured_thread *thread);

#endif
