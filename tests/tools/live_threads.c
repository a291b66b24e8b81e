/* SPDX-License-Identifier: MIT */
/*
 * A process with many threads for tests of `cairn bt --pid`: each has 16 KiB of its stack in use and
 * sleeps, or sends itself signals.
 *
 *	live_threads COUNT [busy|deep|alone]
 *
 * One may be deep in a recursion that takes 12 MiB of stack; or the first thread ends, and leaves the others alone.
 *
 * It prints "ready" when all are there. At SIGTERM it prints how many signals SIGRTMIN it has
 * had from others, how often a sleeping thread was disturbed, and whether the busy one went on.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 4, FRAME = 4096, STACK = 256 << 10, DEEP_FRAMES = 3000, DEEP_STACK = 32 << 20 };

static int pipes[2];
static sem_t ready;
static atomic_ulong counter, signals, disturbed, own, finished;
static atomic_bool ending;

static void count_signal(int number)
{
	(void)number;
	atomic_fetch_add(&signals, 1);
}

/* Nothing is ever written to the pipe. */
__attribute__((noinline)) static void wait_here(void)
{
	char byte;

	sem_post(&ready);
	while (read(pipes[0], &byte, 1) != 0)
		atomic_fetch_add(&disturbed, 1);
}

__attribute__((noinline)) static int use_stack(int left)
{
	volatile char frame[FRAME];

	memset((char *)frame, left, sizeof(frame));
	if (left > 1)
		use_stack(left - 1);
	else
		wait_here();
	return frame[left];
}

static void *sleep_deep(void *unused)
{
	use_stack(FRAMES);
	return unused;
}

/* Sends itself signals without end: one of them is on its way whenever somebody looks. */
static void *count_on(void *unused)
{
	sem_post(&ready);
	while (!atomic_load(&ending)) {
		atomic_fetch_add(&counter, 1);
		atomic_fetch_add(&own, 1);
		raise(SIGRTMIN);
	}
	atomic_store(&finished, 1);
	return unused;
}

static void *sleep_deeper(void *unused)
{
	use_stack(DEEP_FRAMES);
	return unused;
}

static void start_thread(void *(*run)(void *), size_t size, void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, size);
	if (pthread_create(&thread, &attributes, run, argument) != 0)
		exit(2);
	sem_wait(&ready);
}

static void print_counts(const sigset_t *wanted, int busy)
{
	unsigned long before;
	int number;

	while (sigwait(wanted, &number) != 0 || number != SIGTERM)
		;
	before = atomic_load(&counter);
	usleep(100000);
	int stopped = busy && atomic_load(&counter) == before;
	atomic_store(&ending, 1);
	while (busy && !stopped && !atomic_load(&finished))
		usleep(1000);
	printf("signals %ld disturbed %lu %s\n", (long)(atomic_load(&signals) - atomic_load(&own)),
	       atomic_load(&disturbed), stopped ? "stopped" : "going on");
	fflush(stdout);
	_exit(0);
}

static void *print_counts_alone(void *wanted)
{
	sem_post(&ready);
	print_counts(wanted, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
	int count = argc > 1 ? atoi(argv[1]) : 1, busy = argc > 2 && strcmp(argv[2], "busy") == 0;
	static sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &wanted, NULL);
	sigaction(SIGRTMIN, &action, NULL);
	if (pipe(pipes) != 0 || sem_init(&ready, 0, 0) != 0)
		return 2;
	for (int i = 1 + busy; i < count; i++)
		start_thread(sleep_deep, STACK, NULL);
	if (busy)
		start_thread(count_on, STACK, NULL);
	if (argc > 2 && strcmp(argv[2], "deep") == 0)
		start_thread(sleep_deeper, DEEP_STACK, NULL);
	const bool alone = argc > 2 && strcmp(argv[2], "alone") == 0;
	if (alone)
		start_thread(print_counts_alone, STACK, &wanted);
	puts("ready");
	fflush(stdout);
	if (alone)
		pthread_exit(NULL);
	print_counts(&wanted, busy);
}
