/* SPDX-License-Identifier: MIT */
/*
 * Registers and stacks of all threads of a process, by ptrace, as they are at one moment: all threads
 * are interrupted, then the registers and the stack of each are copied, and it goes on at once.
 *
 *	struct os_thread_plan plan = { .find_stack = find_stack, .context = &maps };
 *	struct os_thread_capture capture;
 *	int error = os_thread_capture(&process, &plan, &capture);
 *	... capture.thread[0] to capture.thread[capture.count - 1]
 *	os_thread_capture_free(&capture);
 *
 * A thread of this program does that and then ends. What it holds is let go by the kernel then, and also
 * when the program is killed at any moment. A thread that was stopped by a signal stays stopped, a
 * signal that arrives meanwhile is passed on, and a system call that is interrupted goes on.
 */
#ifndef CAIRN_OS_PROCESS_THREAD_CAPTURE_H
#define CAIRN_OS_PROCESS_THREAD_CAPTURE_H

#include "process.h"

enum {
	OS_REGISTERS_MAX = 512, /* bytes of the general registers; machines have up to 272 */
	OS_TLS_MAX = 48, /* bytes of the set with the thread pointer: three segments of i386 */
	/* Used stack that is copied of one thread: the usual limit of a stack is 8 MiB, and a signal's handler may have one of its own. */
	OS_STACK_MAX = 9 << 20,
	OS_STACK_GUESSED_MAX = 1 << 20, /* of one that only a saved frame pointer leads to */
	/* All together; with more threads each gets its share. */
	OS_STACKS_MAX = 512 << 20,
	/* Runs of memory that are copied of one thread, each on another stack. */
	OS_THREAD_STACKS = 8,
	/*
	 * A thread that is told to stop does so when it runs next. While it waits for a processor it is waited for, the
	 * longer the more others want one; while it waits in the kernel where nothing wakes it (for a disk, or for its child
	 * after vfork()), it makes no progress.
	 */
	OS_STOP_BLOCKED_MILLISECONDS = 1000, /* without progress */
	OS_STOP_RUNNABLE_SECONDS = 60,       /* until a processor was free for it */
};

/* A run of a thread's memory: in use from `low` on. */
struct os_captured_stack {
	uint64_t low;    /* address of the lowest byte */
	size_t at, size; /* where it is in the memory of the capture */
	uint64_t frame;  /* the frame pointer with which it was left; 0: not known */
};

/* One that is to be copied. */
struct os_stack_range {
	struct cairn_range range;
	uint64_t frame;
	bool guessed; /* nothing but a saved frame pointer leads there: OS_STACK_GUESSED_MAX of it */
};

/* Which memory are a thread's stacks, given its registers as PTRACE_GETREGSET has them. */
struct os_captured_thread;

struct os_thread_plan {
	/* From the stack pointer (less what leaf functions use below it) to the end; empty: none. */
	struct os_stack_range (*find_stack)(void *context, const void *registers, size_t size);
	/*
	 * Further stacks that lead on from what was copied as number `run` of the thread's: one that a signal interrupted while
	 * its handler runs on another one, one that a saved frame pointer is on. Writes at most OS_THREAD_STACKS and returns
	 * how many; those whose first byte was copied already are passed over.
	 */
	size_t (*find_further)(void *context, const struct os_captured_thread *thread, size_t run,
	                       struct cairn_bytes copied,
	                       struct os_stack_range further[OS_THREAD_STACKS]);
	void *context;
};

struct os_captured_thread {
	uint64_t tid;
	/*
	 * 0, or why nothing could be had: an errno value. EBUSY: it waits in the kernel and cannot be stopped; ETIMEDOUT:
	 * no processor was free for it. One that ended before it was stopped is left out.
	 */
	int error;
	uint8_t registers[OS_REGISTERS_MAX];
	size_t registers_size;
	/* The set NT_386_TLS or NT_ARM_TLS, where the thread pointer is not among the general registers. */
	uint8_t tls[OS_TLS_MAX];
	size_t tls_size;
	/* The first is that of the stack pointer. */
	struct os_captured_stack stacks[OS_THREAD_STACKS];
	size_t stack_count;
	bool cut;             /* there is more of a stack than was copied */
	uint64_t nanoseconds; /* that it stood still */
};

struct os_thread_capture {
	struct os_captured_thread *thread;
	size_t count;
	uint8_t *memory;
	size_t room;
	uint64_t nanoseconds; /* from the first interrupt to the last thread that was let go */
};

/* 0 or an errno value: ESRCH: no thread is left; EPERM: the process may not be traced; ENOMEM. */
CAIRN_MUST_USE int os_thread_capture(const struct os_process *process,
                                     const struct os_thread_plan *plan,
                                     struct os_thread_capture *capture);
void os_thread_capture_free(struct os_thread_capture *capture);

#endif
