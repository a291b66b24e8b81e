/* SPDX-License-Identifier: MIT */
/*
 * A program that samples its own stack: a timer's signal handler captures it, and the main program
 * names the functions later.
 *
 *	cc -O2 -g docs/examples/backtrace.c $(pkg-config --cflags --libs cairn) -o backtrace
 */
#define _DEFAULT_SOURCE

#include <cairn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static struct cairn_backtrace_frame frames[64];
static volatile size_t depth;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	depth = cairn_backtrace(context, frames, 64);
}

__attribute__((noinline)) static unsigned work(unsigned value)
{
	while (depth == 0)
		value = value * 31 + 7;
	return value;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval timer = { .it_value.tv_usec = 20000 };
	struct cairn_location names[CAIRN_STACK_NAMES];
	struct cairn_stacks *self;
	struct cairn_error error;

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
	volatile unsigned start = 1; /* so that work() is not made for one value */
	const unsigned result = work(start);
	if (cairn_stacks_open_self(&self, &error) != CAIRN_OK) {
		fprintf(stderr, "backtrace: %s\n", error.text);
		return 1;
	}
	for (size_t i = 0; i < depth; i++) {
		const size_t count = cairn_stacks_names(self, frames[i].lookup, names, CAIRN_STACK_NAMES);
		for (size_t k = 0; k < count; k++)
			printf("#%zu %.*s\n", i, (int)names[k].function.size, (const char *)names[k].function.data);
		if (count == 0)
			printf("#%zu %#llx\n", i, (unsigned long long)frames[i].pc);
	}
	cairn_stacks_close(self);
	return result == 0;
}
