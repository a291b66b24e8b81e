/* SPDX-License-Identifier: MIT */
/*
 * A program that crashes, for tests of `cairn crash`:
 *
 *	crash_program null|abort|deep|thread [NAME]
 *	crash_program many COUNT
 *
 * NAME is what the crashing thread is called, and may hold any byte. COUNT processes, 50 ms after each other,
 * crash as "null" does; then how many ended so, and within how many milliseconds they were started, is printed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int *volatile nowhere;
static volatile int depth;

__attribute__((noinline)) static int write_nowhere(int value)
{
	*nowhere = value;
	return value + depth;
}

__attribute__((noinline)) static int call_through(int value)
{
	return write_nowhere(value + 1) + 1;
}

__attribute__((noinline)) static int go_deep(int value)
{
	volatile char frame[64];

	memset((char *)frame, value, sizeof(frame));
	depth++;
	return depth > 0 ? go_deep(value + 1) + frame[value & 63] : 0;
}

static void *crash_here(void *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	call_through(1);
	return name;
}

static void *wait_here(void *unused)
{
	prctl(PR_SET_NAME, "waits \"here\"");
	for (;;)
		pause();
	return unused;
}

static int crash_in_thread(char *name)
{
	pthread_t waiting, crashing;

	if (pthread_create(&waiting, NULL, wait_here, NULL) != 0)
		return 2;
	usleep(50000); /* it has its name by then */
	if (pthread_create(&crashing, NULL, crash_here, name) != 0)
		return 2;
	pthread_join(crashing, NULL);
	return 0;
}

static long count_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int crash_many(int count)
{
	int status, crashed = 0;
	long start = count_milliseconds(), late;

	for (int i = 0; i < count; i++) {
		if (fork() == 0)
			crash_here(NULL);
		late = count_milliseconds() - start - 50L * (i + 1);
		if (late < 0)
			usleep((useconds_t)-late * 1000);
	}
	start = count_milliseconds() - start;
	while (wait(&status) > 0)
		crashed += WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
	printf("%d %ld\n", crashed, start);
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	char *name = argc > 2 ? argv[2] : NULL;

	if (strcmp(kind, "many") == 0 && name)
		return crash_many(atoi(name));
	if (strcmp(kind, "thread") == 0)
		return crash_in_thread(name);
	if (name)
		prctl(PR_SET_NAME, name);
	if (strcmp(kind, "abort") == 0)
		abort();
	if (strcmp(kind, "deep") == 0)
		return go_deep(1);
	crash_here(name);
	return 0;
}
