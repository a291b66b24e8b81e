/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Stops the threads of a process, copies what unwinding needs, lets each go at once. */
#include "thread_capture.h"

#include "thread_copy.h"

#include "base/array_grow.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUNDS_MAX = 8, /* of looking for threads that were made meanwhile */
	STACK_USUAL = 16 << 10,
	YIELDS = 50, /* before pausing: a thread that runs stops within microseconds */
	PAUSE_NANOSECONDS = 50000,
	LOOK_EVERY = 200, /* rounds in which no thread has stopped: their states are read then */
};

/* What the tracing thread works on. */
struct tracing {
	const struct os_process *process;
	struct os_thread_capture *capture;
	struct thread_copy copy;
	size_t room; /* of capture->thread */
	int error;
};

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

/* Among the first `count`, which are in order. */
static bool is_seized(const struct os_thread_capture *capture, size_t count, uint64_t tid)
{
	const struct os_captured_thread wanted = { .tid = tid };

	return count > 0 &&
	       bsearch(&wanted, capture->thread, count, sizeof(wanted), compare_threads);
}

/* Is it a thread of that very process, now that it can no longer end unseen? */
static bool belongs_to_process(const struct os_process *process, uint64_t tid)
{
	char name[64];

	snprintf(name, sizeof(name), "task/%llu", (unsigned long long)tid);
	return faccessat(process->folder, name, F_OK, 0) == 0;
}

/*
 * The letter of its state, and a digest of its line in stat: time that it ran, faults that it had; 'X' when it is gone.
 * The name in it is in parentheses and may hold any character.
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

/* The first thread stays when it has ended before the others, and is nobody's to trace. */
static bool has_ended(const struct os_process *process, uint64_t tid)
{
	uint64_t digest;
	const char state = read_state(process, tid, &digest);

	return state == 'X' || state == 'Z';
}

/* Seizing does not stop a thread. */
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

/* Threads that are made meanwhile are seized in a further round; true when there were new ones. */
static bool seize_new_threads(struct tracing *t)
{
	size_t count, before = t->capture->count;
	uint64_t *tids = os_process_threads(t->process, &count);

	if (!array_grow(&t->capture->thread, &t->room, before + count,
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
	t->capture->room = OS_STACKS_MAX;
	t->copy.share = OS_STACKS_MAX / count < OS_STACK_MAX ? OS_STACKS_MAX / count : OS_STACK_MAX;
	/* so that no page has to be made while a thread stands still; of no matter if it fails */
	size_t usual = count * STACK_USUAL < OS_STACKS_MAX ? count * STACK_USUAL : OS_STACKS_MAX;
	(void)madvise(memory, usual, MADV_POPULATE_WRITE);
	return true;
}

/* A signal that was about to be delivered is passed on; a stop by ptrace itself has none. */
static int signal_to_pass(int status)
{
	return status >> 16 ? 0 : WSTOPSIG(status);
}

/* All are asked to stop before the first is waited for: they do it side by side. */
static void interrupt_threads(struct os_thread_capture *capture)
{
	for (size_t i = 0; i < capture->count; i++) {
		struct os_captured_thread *thread = &capture->thread[i];
		thread->nanoseconds = read_clock();
		if (ptrace(PTRACE_INTERRUPT, (pid_t)thread->tid, NULL, NULL) != 0)
			thread->error = errno;
	}
}

/* What a thread that stands still has; then it goes on. */
static void capture_thread(struct tracing *t, struct os_captured_thread *thread, int status)
{
	thread_copy_registers(thread);
	if (thread->error == 0)
		thread_copy_stacks(&t->copy, thread);
	ptrace(PTRACE_DETACH, (pid_t)thread->tid, NULL, (void *)(intptr_t)signal_to_pass(status));
	thread->nanoseconds = read_clock() - thread->nanoseconds;
}

static void give_up(struct os_captured_thread *thread, int error)
{
	thread->error = error;
	thread->nanoseconds = 0;
}

/* A thread that has not stopped yet: what was last seen of it, and since when that is so. */
struct pending {
	size_t number;  /* of the capture's threads */
	uint64_t since; /* it waits in the kernel since then; 0: it did not when it was looked at */
	uint64_t seen;  /* a digest of all that /proc counts of it */
};

/* 0: it may still stop; else the errno value with which it is given up. */
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

/* Captures it if it has stopped; true: it is no longer waited for. */
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

/* One look at each that has not stopped yet: those that have are captured. How many are left. */
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

/* Each is captured as soon as it stands still, so that none waits for another one. */
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

/* A thread that has ended meanwhile is none of the process any more. */
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
		munmap(capture->memory, capture->room);
	free(capture->thread);
	*capture = (struct os_thread_capture){ .count = 0 };
}
