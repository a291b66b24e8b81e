/* SPDX-License-Identifier: MIT */
/*
 * Ends by SIGSEGV in store(), below inlined and recursive calls. With an argument a handler waits there: the process lives on, as one
 * whose handler reports crashes does.
 */
#define _GNU_SOURCE /* sigaction() */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int *where;

__attribute__((noinline)) static void store(int n)
{
	*where = n;
}

static inline __attribute__((always_inline)) void step(int n)
{
	store(n + 1);
	__asm__ volatile("");
}

__attribute__((noinline)) static void walk(int n)
{
	if (n > 0)
		walk(n - 1);
	else
		step(n);
	__asm__ volatile("");
}

static void wait_for_end(int number, siginfo_t *about, void *context)
{
	(void)number;
	(void)about;
	(void)context;
	puts("waits");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	(void)argv;
	action.sa_sigaction = wait_for_end;
	if (argc > 1)
		sigaction(SIGSEGV, &action, NULL);
	walk(3);
	return 0;
}
