/* SPDX-License-Identifier: MIT */
/*
 * Stops the threads of a program at random moments with a timer signal, and compares the stacks that
 * cairn_backtrace() captures with those of the C library's backtrace() and of libunwind, if
 * installed, and with a shadow stack that the program maintains:
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
/* Stores the entry before the depth, because a signal may arrive between the two stores. */
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

/* Call these at the start and the end of main(). argv[1] is the number of stops, 1000 by default. */
void stops_begin(int argc, char **argv);
int stops_end(const char *name);

/* Call these at the start and the end of each other thread to stop. */
void stops_thread_begin(void);
void stops_thread_end(void);

/* Return true after the requested number of stops. */
bool stops_enough(void);

/*
 * Maximum number of innermost functions that may be missing from the shadow stack. C++ templates of the
 * standard library never call ENTER().
 */
extern unsigned stops_unentered;

/* Store results here, so that the compiler does not remove their computation. */
extern volatile unsigned long stops_sink;

#ifdef __cplusplus
}
#endif

#endif
