/* SPDX-License-Identifier: MIT */
/*
 * Captures the registers and stacks of all threads in a process through ptrace. All threads are
 * interrupted at once; each is resumed as soon as its registers and stacks have been copied.
 *
 *	struct os_thread_plan plan = { .find_stack = find_stack, .context = &maps };
 *	struct os_thread_capture capture;
 *	int error = os_thread_capture(&process, &plan, &capture);
 *	... capture.thread[0] to capture.thread[capture.count - 1]
 *	os_thread_capture_free(&capture);
 *
 * The tracer is a temporary thread of the calling program. When it ends, or the program is killed,
 * the kernel detaches all threads. Threads stopped by a signal stay stopped, signals that arrive
 * meanwhile are delivered, and interrupted system calls continue.
 */
#ifndef CAIRN_OS_THREAD_CAPTURE_H
#define CAIRN_OS_THREAD_CAPTURE_H

#include "process.h"

enum {
	/* maximum size of the general register set; machines use up to 272 bytes */
	OS_REGISTERS_MAX = 512,
	OS_TLS_MAX = 48, /* maximum size of the TLS register set; i386 has three segments */
	/*
	 * maximum number of stack bytes copied per thread: the default stack limit of 8 MiB, plus a
	 * separate stack for a signal handler
	 */
	OS_STACK_MAX = 9 << 20,
	/* maximum size of a stack that has been found only through a frame pointer */
	OS_STACK_GUESSED_MAX = 1 << 20,
	/* maximum total size of all stacks; many threads get equal shares */
	OS_STACKS_MAX = 512 << 20,
	/* maximum number of memory ranges copied per thread, each from a different stack */
	OS_THREAD_STACKS = 8,
	/*
	 * An interrupted thread stops when it is next scheduled. Stop waiting for it if it makes no
	 * progress because it sleeps uninterruptibly in the kernel, for a disk or, after vfork(),
	 * for its child. Wait longer for a runnable thread, because the wait for a CPU grows with
	 * the load.
	 */
	OS_STOP_BLOCKED_MILLISECONDS = 1000,
	OS_STOP_RUNNABLE_SECONDS = 60,
};

/* A copied memory range, starting at `low`, the lowest stack address in use. */
struct os_captured_stack {
	uint64_t low;
	size_t at, size; /* offset and size in capture->memory */
	uint64_t frame;  /* frame pointer in use on this stack; 0 if unknown */
};

struct os_stack_range {
	struct cairn_range range;
	uint64_t frame;
	/*
	 * the stack was found only through a frame pointer, so OS_STACK_GUESSED_MAX limits its size
	 */
	bool guessed;
};

/* Callbacks that find a thread's stacks from its registers, in the format of PTRACE_GETREGSET. */
struct os_captured_thread;

struct os_thread_plan {
	/*
	 * Return the range from the stack pointer (minus the red zone) to the end of the stack, or
	 * an empty range if there is no stack.
	 */
	struct os_stack_range (*find_stack)(void *context, const void *registers, size_t size);
	/*
	 * Find stacks that continue the copied stack with the index `run`: the stack that a signal
	 * handler on an alternate stack has interrupted, or the stack to which a saved frame
	 * pointer leads. Writes at most OS_THREAD_STACKS ranges and returns the number of ranges. A
	 * range whose first byte has already been copied is skipped.
	 */
	size_t (*find_further)(void *context, const struct os_captured_thread *thread, size_t run,
	                       struct cairn_bytes copied,
	                       struct os_stack_range further[OS_THREAD_STACKS]);
	void *context;
};

struct os_captured_thread {
	uint64_t tid;
	/*
	 * 0, or an errno value if nothing has been captured: EBUSY if the thread is blocked in the
	 * kernel and cannot be stopped, ETIMEDOUT if the kernel has not scheduled it in time.
	 * Threads that exit before they stop are omitted.
	 */
	int error;
	uint8_t registers[OS_REGISTERS_MAX];
	size_t registers_size;
	/*
	 * register set NT_386_TLS or NT_ARM_TLS, on machines whose general registers do not include
	 * the thread pointer
	 */
	uint8_t tls[OS_TLS_MAX];
	size_t tls_size;
	/* the first range contains the stack pointer */
	struct os_captured_stack stacks[OS_THREAD_STACKS];
	size_t stack_count;
	bool cut;
	uint64_t nanoseconds; /* time from interrupting to resuming this thread */
};

struct os_thread_capture {
	struct os_captured_thread *thread;
	size_t count;
	uint8_t *memory;
	size_t capacity;
	uint64_t nanoseconds; /* time from the first interrupt to the last resume */
};

/*
 * Capture all threads. Returns 0 or an errno value: ESRCH if no thread is left, EPERM if the
 * process may not be traced, ENOMEM.
 */
CAIRN_MUST_USE int os_thread_capture(const struct os_process *process,
                                     const struct os_thread_plan *plan,
                                     struct os_thread_capture *capture);
void os_thread_capture_free(struct os_thread_capture *capture);

#endif
