/* SPDX-License-Identifier: MIT */
/*
 * Processes whose threads are slow to stop, for tests of `cairn bt --pid`:
 *
 *	busy_threads vfork          the first thread waits for its child after vfork(), three others sleep
 *	busy_threads starved        four threads that run when nobody else wants their processor, and two processes that do
 *	busy_threads coming         a thread after the other is made and ends
 *
 * It prints "ready", and after two minutes of its own it ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SLEEPERS = 3, STARVED = 4, RIVALS = 2, SECONDS = 120 };

static volatile unsigned long count;

static void tell_ready(void)
{
	puts("ready");
	fflush(stdout);
}

__attribute__((noinline)) static void *wait_here(void *unused)
{
	for (;;)
		pause();
	return unused;
}

__attribute__((noinline)) static void *count_on(void *unused)
{
	for (;;)
		count++;
	return unused;
}

static void *end_at_once(void *unused)
{
	return unused;
}

static void start_threads(unsigned threads, void *(*run)(void *))
{
	pthread_t thread;

	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, run, NULL) != 0)
			exit(2);
}

/* All on the first processor of those that it may use. */
static void stay_on_one(void)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		exit(2);
	for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		exit(2);
}

static void start_rivals(void)
{
	const pid_t own = getpid();

	for (unsigned i = 0; i < RIVALS; i++) {
		if (fork() != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != own)
			_exit(0);
		count_on(NULL);
	}
}

static void *give_way_and_count(void *unused)
{
	const struct sched_param none = { .sched_priority = 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &none) != 0)
		exit(2);
	return count_on(unused);
}

static void be_starved(void)
{
	stay_on_one();
	start_threads(STARVED, give_way_and_count);
	sleep(1); /* they give way from now on */
	start_rivals();
	tell_ready();
	wait_here(NULL);
}

/* The child does nothing but wait, on the stack of its parent. */
static void wait_for_child(void)
{
	start_threads(SLEEPERS, wait_here);
	tell_ready();
	const pid_t own = getpid(), child = vfork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == own)
			sleep(SECONDS);
		_exit(0);
	}
}

static void come_and_go(void)
{
	pthread_t thread;

	tell_ready();
	for (;;)
		if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
			pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const struct rlimit limit = { SECONDS, SECONDS };
	const char *what = argc > 1 ? argv[1] : "";

	setrlimit(RLIMIT_CPU, &limit);
	alarm(SECONDS);
	if (strcmp(what, "vfork") == 0)
		wait_for_child();
	else if (strcmp(what, "starved") == 0)
		be_starved();
	else if (strcmp(what, "coming") == 0)
		come_and_go();
	return 0;
}
