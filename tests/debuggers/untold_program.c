/* SPDX-License-Identifier: MIT */
/* Waits in a handler of signals, in a library without unwind tables. */
#include <signal.h>
#include <stdio.h>

void handle_signals(int signal, void (*handler)(int));
void wait_in_library(void);

static volatile int passed;

static void handle(int signal)
{
	passed += signal;
	puts("ready");
	fflush(stdout);
	wait_in_library();
	passed++;
}

__attribute__((noinline)) static void interrupted(void)
{
	raise(SIGUSR1);
	passed++;
}

int main(void)
{
	handle_signals(SIGUSR1, handle);
	interrupted();
	return passed;
}
