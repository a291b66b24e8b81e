/* SPDX-License-Identifier: MIT */
/*
 * Many threads that all wait in a recursion, for debuggers that print all their stacks:
 *
 *	thread_stacks THREADS DEPTH
 *
 * When all of them wait, stop_here() is called.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACK = 1 << 18 };

static pthread_barrier_t all_wait, may_end;

void stop_here(void);

__attribute__((noinline)) void stop_here(void)
{
	__asm__ volatile("");
}

static int descend(volatile int *depth)
{
	if (*depth == 0) {
		pthread_barrier_wait(&all_wait);
		pthread_barrier_wait(&may_end);
		return 0;
	}
	--*depth;
	return descend(depth) + 1; /* so that the call is not the last thing */
}

static void *wait_deep(void *depth)
{
	volatile int left = *(int *)depth;

	descend(&left);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1, depth = argc > 2 ? atoi(argv[2]) : 1;
	pthread_attr_t attributes;
	pthread_t thread;

	if (threads < 1 || pthread_attr_init(&attributes) != 0 ||
	    pthread_attr_setstacksize(&attributes, STACK) != 0 ||
	    pthread_barrier_init(&all_wait, NULL, (unsigned)threads + 1) != 0 ||
	    pthread_barrier_init(&may_end, NULL, (unsigned)threads + 1) != 0)
		return 2;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread, &attributes, wait_deep, &depth) != 0) {
			fprintf(stderr, "thread_stacks: no thread %d\n", i);
			return 1;
		}
	pthread_barrier_wait(&all_wait);
	stop_here();
	pthread_barrier_wait(&may_end);
	return 0;
}
