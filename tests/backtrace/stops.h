/* SPDX-License-Identifier: MIT */
/*
 * Stops the threads of a program at random moments by a timer's signal, and compares what
 * cairn_backtrace() captures with backtrace() of the C library, with libunwind where it is, and with
 * a shadow stack that the program keeps:
 *
 *	static NOINLINE int f(int n)
 *	{
 *		ENTER();
 *		int result = n ? f(n - 1) : 0;
 *		LEAVE();
 *		return result;
 *	}
 */
#ifndef CAIRN_TESTS_STOPS_H
#define CAIRN_TESTS_STOPS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SHADOW_MAX = 1024 };

struct shadow {
	void *volatile ra[SHADOW_MAX];
	volatile unsigned depth;
};

extern __thread struct shadow shadow __attribute__((tls_model("initial-exec"), visibility("default")));

#define NOINLINE __attribute__((noinline, noclone))
#define BARRIER() __asm__ volatile("" ::: "memory")
/* The entry is there before the depth says so. */
#define ENTER()                                                         \
	do {                                                            \
		shadow.ra[shadow.depth] = __builtin_return_address(0);  \
		BARRIER();                                              \
		shadow.depth++;                                         \
		BARRIER();                                              \
	} while (0)
#define LEAVE()                         \
	do {                            \
		BARRIER();              \
		shadow.depth--;         \
		BARRIER();              \
	} while (0)

/* main() begins and ends with these; `count` stops are wanted. */
void stops_begin(int argc, char **argv);
int stops_end(const char *name);

/* Each thread that is to be stopped, the first one too, is between these. */
void stops_thread_begin(void);
void stops_thread_end(void);

/* Have there been enough stops? */
bool stops_enough(void);

/* The most functions at the innermost end that may be without ENTER(); templates of C++ never have it. */
extern unsigned stops_unentered;

/* Keeps a result alive. */
extern volatile unsigned long stops_sink;

#ifdef __cplusplus
}
#endif

#endif
