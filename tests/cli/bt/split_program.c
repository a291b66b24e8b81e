/* SPDX-License-Identifier: MIT */
/*
 * A program that crashes on the third of its stacks: the handler of a signal runs on one of its own, and goes on on another one,
 * which -fsplit-stack has made because there is too little room.
 *
 *	split_program
 */
#define _DEFAULT_SOURCE /* sigaltstack() */
#include <signal.h>
#include <stddef.h>
#include <string.h>

enum { CAPACITY = 3000, HANDLER_STACK = 1 << 20 };

static char handler_stack[HANDLER_STACK];
static volatile int *nowhere;

__attribute__((noinline)) static int crash_here(int number)
{
	*nowhere = number;
	return number;
}

__attribute__((noinline)) static int go_deeper(int number)
{
	volatile char capacity[CAPACITY];

	memset((char *)capacity, number, sizeof(capacity));
	return (number > 0 ? go_deeper(number - 1) : crash_here(number)) + capacity[5];
}

static void handle(int number)
{
	(void)number;
	go_deeper(2);
}

__attribute__((noinline)) static int interrupt_here(int number)
{
	return raise(SIGUSR1) + number;
}

int main(void)
{
	const stack_t own = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&own, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
		return 2;
	return interrupt_here(1);
}
