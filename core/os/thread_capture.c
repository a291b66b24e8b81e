/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/*
 * Stops a process's threads, copies their registers and stacks, and resumes each thread immediately
 * afterwards.
 */
#include "thread_capture.h"

#include "base/memory.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUNDS_MAX = 8, /* maximum number of scans for threads created since the previous scan */
	STACK_USUAL = 16 << 10,
	/* number of attempts before sleeping; a running thread stops within microseconds */
	YIELDS = 50,
	PAUSE_NANOSECONDS = 50000,
	/*
	 * check thread states after this many consecutive attempts in which no thread has stopped
	 */
	LOOK_EVERY = 200,
	PAGE = 4096,
	GUARD = 1 << 16, /* maximum number of bytes to skip in an unreadable stack guard */
};

struct thread_copy {
	const struct os_process *process;
	const struct os_thread_plan *plan;
	struct os_thread_capture *capture;
	size_t used;
	size_t share;
};

struct tracing {
	const struct os_process *process;
	struct os_thread_capture *capture;
	struct thread_copy copy;
	size_t capacity;
	int error;
};

static bool copy_set(const struct os_captured_thread *thread, int which, void *to, size_t *size)
{
	struct iovec set = { to, *size };
	const bool copied =
		ptrace(PTRACE_GETREGSET, (pid_t)thread->tid, (void *)(intptr_t)which, &set) == 0;

	*size = copied ? set.iov_len : 0;
	return copied;
}

static void copy_registers(struct os_captured_thread *thread)
{
	thread->registers_size = sizeof(thread->registers);
	if (!copy_set(thread, NT_PRSTATUS, thread->registers, &thread->registers_size)) {
		thread->error = errno;
		return;
	}
	/*
	 * register set that contains the thread pointer; 0 if the general registers include the
	 * pointer or its location is unknown
	 */
#if defined(__x86_64__)
	const int tls = thread->registers_size < sizeof(struct user_regs_struct) ? NT_386_TLS : 0;
#elif defined(__aarch64__)
	const int tls = NT_ARM_TLS;
#else
	const int tls = 0;
#endif
	thread->tls_size = tls ? sizeof(thread->tls) : 0;
	if (tls)
		(void)copy_set(thread, tls, thread->tls, &thread->tls_size);
}

/*
 * Copy at most `most` bytes of a stack. Returns false if the stack is larger. The lowest pages of
 * an overflowed stack may be unreadable, because glibc 2.43 creates the guard with
 * MADV_GUARD_INSTALL, so the guard is part of the mapping.
 */
static bool copy_range(struct thread_copy *copy, const struct os_stack_range *wanted, size_t most,
                       struct os_captured_stack *stack)
{
	const size_t left = copy->capture->capacity - copy->used;
	uint64_t low = wanted->range.low, size = wanted->range.high - low;
	ssize_t got = 0;

	most = left < most ? left : most;
	for (;;) {
		struct iovec to = { copy->capture->memory + copy->used,
			            size < most ? (size_t)size : most };
		struct iovec from = { (void *)(uintptr_t)low, to.iov_len };
		if (to.iov_len > 0)
			got = process_vm_readv((pid_t)copy->process->living, &to, 1, &from, 1, 0);
		const uint64_t rest = PAGE - low % PAGE;
		if (got >= 0 || errno != EFAULT || size <= rest || low - wanted->range.low >= GUARD)
			break;
		low += rest;
		size -= rest;
	}
	*stack = (struct os_captured_stack){ low, copy->used, got > 0 ? (size_t)got : 0,
		                             wanted->frame };
	copy->used += stack->size;
	return stack->size == size;
}

/*
 * Shorten a range so that it ends before any byte that has already been copied. The range becomes
 * empty if its first byte has been copied.
 */
static void cut_copied(const struct os_captured_thread *thread, struct cairn_range *range)
{
	for (size_t i = 0; i < thread->stack_count; i++) {
		const struct os_captured_stack *stack = &thread->stacks[i];
		if (range->low - stack->low < stack->size)
			range->high = range->low;
		else if (stack->low > range->low && stack->low < range->high)
			range->high = stack->low;
	}
}

/*
 * Copy another range, and subtract its size from *left, the unused part of the thread's share of
 * capture memory. A stack in a large mapping (Go allocates stacks on the heap) must leave some of
 * the share for stacks found through frame pointers.
 */
static void add_stack(struct thread_copy *copy, struct os_captured_thread *thread,
                      struct os_stack_range wanted, size_t *left)
{
	if (thread->stack_count == OS_THREAD_STACKS)
		return;
	cut_copied(thread, &wanted.range);
	if (wanted.guessed && wanted.range.high - wanted.range.low > OS_STACK_GUESSED_MAX)
		wanted.range.high = wanted.range.low + OS_STACK_GUESSED_MAX;
	if (wanted.range.low >= wanted.range.high)
		return;
	struct os_captured_stack *stack = &thread->stacks[thread->stack_count];
	const size_t kept =
		wanted.guessed ? 0 : copy->share / (OS_STACK_MAX / OS_STACK_GUESSED_MAX);
	const bool whole = copy_range(copy, &wanted, *left > kept ? *left - kept : 0, stack);
	thread->cut |= !whole && !wanted.guessed;
	*left -= stack->size;
	thread->stack_count += stack->size > 0;
}

/* Copy the current stack, then the stacks that continue each copied stack. */
static void copy_stacks(struct thread_copy *copy, struct os_captured_thread *thread)
{
	const struct os_thread_plan *plan = copy->plan;
	struct os_stack_range further[OS_THREAD_STACKS];
	size_t left = copy->share;

	add_stack(copy, thread,
	          plan->find_stack(plan->context, thread->registers, thread->registers_size),
	          &left);
	for (size_t run = 0; run < thread->stack_count; run++) {
		const struct cairn_bytes copied = { copy->capture->memory + thread->stacks[run].at,
			                            thread->stacks[run].size };
		const size_t count =
			plan->find_further(plan->context, thread, run, copied, further);
		for (size_t i = 0; i < count; i++)
			add_stack(copy, thread, further[i], &left);
	}
}

static uint64_t read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int compare_threads(const void *left, const void *right)
{
	const struct os_captured_thread *a = left, *b = right;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static bool is_seized(const struct os_thread_capture *capture, size_t count, uint64_t tid)
{
	const struct os_captured_thread wanted = { .tid = tid };

	return count > 0 &&
	       bsearch(&wanted, capture->thread, count, sizeof(wanted), compare_threads);
}

/*
 * Return true if a seized thread belongs to the process. Call this after seizing the thread,
 * because until then its tid may be reused.
 */
static bool belongs_to_process(const struct os_process *process, uint64_t tid)
{
	char name[64];

	snprintf(name, sizeof(name), "task/%llu", (unsigned long long)tid);
	return faccessat(process->directory, name, F_OK, 0) == 0;
}

/*
 * Return the thread's state letter and set *digest to a hash of its stat line, which includes its
 * run time and page faults. Returns 'X' if the thread has exited. The thread name in the line is in
 * parentheses and may contain any character.
 */
static char read_state(const struct os_process *process, uint64_t tid, uint64_t *digest)
{
	char name[64];
	size_t size;

	snprintf(name, sizeof(name), "task/%llu/stat", (unsigned long long)tid);
	char *text = os_process_text(process, name, &size);
	const char *end = text ? strrchr(text, ')') : NULL;
	const char state = end && end[1] == ' ' ? end[2] : 'X';
	*digest = 0;
	for (size_t i = 0; text && i < size; i++)
		*digest = *digest * 1099511628211u + (unsigned char)text[i];
	free(text);
	return state;
}

/*
 * Return true if the thread has exited. The main thread remains as a zombie, which cannot be
 * traced, until the other threads exit.
 */
static bool has_ended(const struct os_process *process, uint64_t tid)
{
	uint64_t digest;
	const char state = read_state(process, tid, &digest);

	return state == 'X' || state == 'Z';
}

static void seize_thread(struct tracing *t, uint64_t tid)
{
	struct os_captured_thread *thread = &t->capture->thread[t->capture->count];

	if (ptrace(PTRACE_SEIZE, (pid_t)tid, NULL, NULL) != 0) {
		const int error = errno;
		if (error != ESRCH && !has_ended(t->process, tid))
			t->error = error;
		return;
	}
	if (!belongs_to_process(t->process, tid))
		return;
	*thread = (struct os_captured_thread){ .tid = tid };
	t->capture->count++;
}

/*
 * Seize threads that have not been seized yet. Returns true if there were any; the caller then
 * repeats the call, because more threads may have been created meanwhile.
 */
static bool seize_new_threads(struct tracing *t)
{
	size_t count, before = t->capture->count;
	uint64_t *tids = os_process_threads(t->process, &count);

	if (!array_grow(&t->capture->thread, &t->capacity, before + count,
	                sizeof(*t->capture->thread))) {
		t->error = ENOMEM;
		count = 0;
	}
	for (size_t i = 0; i < count; i++)
		if (!is_seized(t->capture, before, tids[i]))
			seize_thread(t, tids[i]);
	free(tids);
	if (t->capture->count > before)
		qsort(t->capture->thread, t->capture->count, sizeof(*t->capture->thread),
		      compare_threads);
	return t->capture->count > before;
}

static bool allocate_memory(struct tracing *t)
{
	size_t count = t->capture->count ? t->capture->count : 1;
	void *memory = mmap(NULL, OS_STACKS_MAX, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	t->capture->memory = memory;
	t->capture->capacity = OS_STACKS_MAX;
	t->copy.share = OS_STACKS_MAX / count < OS_STACK_MAX ? OS_STACKS_MAX / count : OS_STACK_MAX;
	/*
	 * Populate the usual amount of memory in advance, so that no page fault occurs while a
	 * thread is stopped. Failure is harmless.
	 */
	size_t usual = count * STACK_USUAL < OS_STACKS_MAX ? count * STACK_USUAL : OS_STACKS_MAX;
	(void)madvise(memory, usual, MADV_POPULATE_WRITE);
	return true;
}

/*
 * Return the signal that was about to be delivered, so that the caller can pass it to the thread,
 * or 0 for a stop caused by ptrace.
 */
static int signal_to_pass(int status)
{
	return status >> 16 ? 0 : WSTOPSIG(status);
}

/* Interrupt all threads before the first wait, so that they stop in parallel. */
static void interrupt_threads(struct os_thread_capture *capture)
{
	for (size_t i = 0; i < capture->count; i++) {
		struct os_captured_thread *thread = &capture->thread[i];
		thread->nanoseconds = read_clock();
		if (ptrace(PTRACE_INTERRUPT, (pid_t)thread->tid, NULL, NULL) != 0)
			thread->error = errno;
	}
}

static void capture_thread(struct tracing *t, struct os_captured_thread *thread, int status)
{
	copy_registers(thread);
	if (thread->error == 0)
		copy_stacks(&t->copy, thread);
	ptrace(PTRACE_DETACH, (pid_t)thread->tid, NULL, (void *)(intptr_t)signal_to_pass(status));
	thread->nanoseconds = read_clock() - thread->nanoseconds;
}

static void give_up(struct os_captured_thread *thread, int error)
{
	thread->error = error;
	thread->nanoseconds = 0;
}

struct pending {
	size_t number; /* index in capture->thread */
	/* time at which the thread was first found blocked in the kernel; 0 if it is not blocked */
	uint64_t since;
	uint64_t seen; /* digest of the latest stat line */
};

/*
 * Return 0 if the thread may still stop, otherwise an errno value that explains why we stop
 * waiting.
 */
static int judge_pending(const struct tracing *t, struct pending *p, uint64_t now, uint64_t end)
{
	const uint64_t seen = p->seen;
	const char state = read_state(t->process, t->capture->thread[p->number].tid, &p->seen);

	if (state == 'X' || state == 'Z')
		return ESRCH;
	if (state != 'D')
		p->since = 0;
	else if (p->since == 0 || p->seen != seen)
		p->since = now;
	else if (now - p->since > (uint64_t)OS_STOP_BLOCKED_MILLISECONDS * 1000000)
		return EBUSY;
	return now > end ? ETIMEDOUT : 0;
}

/* Capture the thread if it has stopped. Returns false if it has neither stopped nor exited. */
static bool try_thread(struct tracing *t, struct os_captured_thread *thread)
{
	int status = 0;
	pid_t got = waitpid((pid_t)thread->tid, &status, __WALL | WNOHANG);

	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	if (got > 0 && WIFSTOPPED(status))
		capture_thread(t, thread, status);
	else
		give_up(thread, ESRCH);
	return true;
}

static size_t try_all(struct tracing *t, struct pending *pending, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
		if (!try_thread(t, &t->capture->thread[pending[i].number]))
			pending[left++] = pending[i];
	return left;
}

static size_t judge_all(struct tracing *t, struct pending *pending, size_t count, uint64_t end)
{
	const uint64_t now = read_clock();
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		const int error = judge_pending(t, &pending[i], now, end);
		if (error != 0)
			give_up(&t->capture->thread[pending[i].number], error);
		else
			pending[left++] = pending[i];
	}
	return left;
}

/* Capture each thread as soon as it stops, so that it need not wait for slower threads. */
static void capture_all(struct tracing *t, struct pending *pending, size_t count)
{
	const struct timespec pause = { 0, PAUSE_NANOSECONDS };
	const uint64_t end = read_clock() + (uint64_t)OS_STOP_RUNNABLE_SECONDS * 1000000000;
	unsigned idle = 0;

	while (count > 0) {
		const size_t left = try_all(t, pending, count);
		idle = left < count ? 0 : idle + 1;
		count = left;
		if (idle > 0 && idle % LOOK_EVERY == 0)
			count = judge_all(t, pending, count, end);
		if (idle < YIELDS)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}

static void stop_and_capture(struct tracing *t)
{
	struct os_thread_capture *capture = t->capture;
	struct pending *pending = calloc(capture->count, sizeof(*pending));
	size_t count = 0;

	if (!pending) {
		t->error = ENOMEM;
		return;
	}
	interrupt_threads(capture);
	for (size_t i = 0; i < capture->count; i++)
		if (capture->thread[i].error == 0)
			pending[count++] = (struct pending){ .number = i };
	capture_all(t, pending, count);
	free(pending);
}

static void drop_ended(struct tracing *t)
{
	struct os_thread_capture *capture = t->capture;
	size_t left = 0;

	for (size_t i = 0; i < capture->count; i++)
		if (capture->thread[i].error != ESRCH)
			capture->thread[left++] = capture->thread[i];
	capture->count = left;
	if (left == 0 && t->error == 0)
		t->error = ESRCH;
}

static void *run_tracing(void *context)
{
	struct tracing *t = context;
	struct os_thread_capture *capture = t->capture;
	unsigned round = 0;

	while (seize_new_threads(t) && ++round < ROUNDS_MAX)
		;
	if (capture->count == 0 && t->error == 0)
		t->error = ESRCH;
	if (capture->count > 0)
		t->error = allocate_memory(t) ? 0 : ENOMEM;
	uint64_t start = read_clock();
	if (t->error == 0)
		stop_and_capture(t);
	capture->nanoseconds = read_clock() - start;
	drop_ended(t);
	return NULL;
}

int os_thread_capture(const struct os_process *process, const struct os_thread_plan *plan,
                      struct os_thread_capture *capture)
{
	struct tracing t = { .process = process,
		             .capture = capture,
		             .copy = { .process = process, .plan = plan, .capture = capture } };
	pthread_t tracer;

	*capture = (struct os_thread_capture){ .count = 0 };
	int error = pthread_create(&tracer, NULL, run_tracing, &t);
	if (error != 0)
		return error;
	pthread_join(tracer, NULL);
	if (t.error != 0)
		os_thread_capture_free(capture);
	return t.error;
}

void os_thread_capture_free(struct os_thread_capture *capture)
{
	if (capture->memory)
		munmap(capture->memory, capture->capacity);
	free(capture->thread);
	*capture = (struct os_thread_capture){ .count = 0 };
}
