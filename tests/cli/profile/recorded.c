/* SPDX-License-Identifier: MIT */
/*
 * A program that perf records: it spends its time in known functions, recorded [WAY]. WAY is one of
 *
 *	thread     the time is spent in a second thread
 *	fork       in a child
 *	exec       in this program, started again by its child
 *	callback   below a function of the C library, which calls back
 *
 * All stacks of its hot code are outer_function, hot_function, and often what is inlined there, innermost_inlined.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 1600, STEPS = 200000, LOW_BITS = 15 };

static volatile unsigned sum;

static inline __attribute__((always_inline)) unsigned innermost_inlined(unsigned n)
{
	for (unsigned i = 0; i < STEPS; i++)
		n = n * 5 + i;
	return n;
}

static __attribute__((noinline)) unsigned hot_function(unsigned n)
{
	return innermost_inlined(n) + sum;
}

static __attribute__((noinline)) int outer_function(const void *a, const void *b)
{
	(void)a;
	(void)b;
	for (unsigned i = 0; i < ROUNDS; i++)
		sum += hot_function(i);
	return 0;
}

static void *run_thread(void *context)
{
	outer_function(context, context);
	return NULL;
}

static int wait_for(pid_t child)
{
	int status;

	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int run_child(char **argv, int exec)
{
	const pid_t child = fork();

	if (child != 0)
		return wait_for(child);
	if (exec)
		execl("/proc/self/exe", argv[0], (char *)NULL);
	outer_function(argv, argv);
	_exit(exec);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int pair[2] = { 2, 1 };
	pthread_t thread;

	if (strcmp(way, "thread") == 0)
		return pthread_create(&thread, NULL, run_thread, NULL) != 0 ||
		       pthread_join(thread, NULL) != 0;
	if (strcmp(way, "fork") == 0 || strcmp(way, "exec") == 0)
		return run_child(argv, way[0] == 'e');
	if (strcmp(way, "callback") == 0)
		qsort(pair, 2, sizeof(pair[0]), outer_function);
	else
		outer_function(pair, pair);
	return 0;
}
