/* SPDX-License-Identifier: MIT */
/*
 * Overflows the stack of a thread whose guard is a part of its mapping, as glibc makes it from 2.43 on (MADV_GUARD_INSTALL).
 * With the word "wait" it stays in a handler on another stack and says "ready"; else the signal ends it. Exit status 77:
 * the kernel has no such guards.
 */
#define _GNU_SOURCE /* madvise(), sigaltstack() */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK = 1 << 20, GUARD = 1 << 16, INSTALL = 102 };

static volatile int deeper = 1;

static __attribute__((noinline)) int overflow(int level)
{
	volatile char frame[1000];

	frame[level % 1000] = 1;
	return deeper ? overflow(level + 1) + frame[0] : 0;
}

static void *run(void *unused)
{
	static char other[1 << 16];
	const stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };

	sigaltstack(&stack, NULL);
	overflow(0);
	return unused;
}

static void stay(int number)
{
	(void)number;
	(void)!write(1, "ready\n", 6);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = stay, .sa_flags = SA_ONSTACK };
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	if (stack == MAP_FAILED || madvise(stack, GUARD, INSTALL) != 0)
		return 77;
	if (argc > 1 && strcmp(argv[1], "wait") == 0)
		sigaction(SIGSEGV, &action, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK);
	if (pthread_create(&thread, &attributes, run, NULL) != 0)
		return 77;
	pthread_join(thread, NULL);
	return EXIT_FAILURE;
}
