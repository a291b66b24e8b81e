/* SPDX-License-Identifier: MIT */
/* The stack of the calling thread, 20 to 50 frames: cairn_backtrace() beside backtrace() and libunwind. */
#define _GNU_SOURCE
#include <cairn.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 128, ROUNDS = 50, CALLS = 2000 };

static struct cairn_backtrace_frame frames[FRAMES];
static void *list[FRAMES];
static int (*theirs)(void **list, int size);

static size_t by_cairn(void)
{
	return cairn_backtrace(NULL, frames, FRAMES);
}

static size_t by_others(void)
{
	return (size_t)theirs(list, FRAMES);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(const char *who, size_t (*capture)(void))
{
	double best = 1e18, began = now();
	size_t count = capture();
	const double cold = (now() - began) / (double)count;

	for (int i = 0; i < ROUNDS; i++) {
		began = now();
		for (int k = 0; k < CALLS; k++)
			count = capture();
		const double took = (now() - began) / CALLS / (double)count;
		best = took < best ? took : best;
	}
	printf("%-12s %2zu frames: %6.1f ns a frame, the first time %7.1f ns\n", who, count, best, cold);
}

static void measure_library(const char *who, const char *library, const char *name)
{
	void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void *found = opened ? dlsym(opened, name) : NULL;

	if (!found) {
		printf("%-12s not installed\n", who);
		return;
	}
	memcpy(&theirs, &found, sizeof(found));
	measure(who, by_others);
}

static __attribute__((noinline)) int descend(int levels)
{
	volatile char space[64];

	space[0] = (char)levels;
	if (levels > 0)
		return descend(levels - 1) + space[0];
	measure("cairn", by_cairn);
	measure_library("backtrace()", "libc.so.6", "backtrace");
	measure_library("libunwind", "libunwind.so.8", "unw_backtrace");
	return 0;
}

int main(void)
{
	descend(14);
	descend(29);
	descend(44);
	return 0;
}
