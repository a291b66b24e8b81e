/* SPDX-License-Identifier: MIT */
/* Threads that share the work of one call. */
#ifndef CAIRN_BASE_THREADS_H
#define CAIRN_BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { THREADS_MAX = 8 };

/*
 * Calls `run` on `count` threads, of which one is this one, and waits for all.  There are THREADS_MAX at most, and
 * fewer if the system gives no more; `run` takes what is left to do, until nothing is.
 */
static inline void threads_run(size_t count, void *(*run)(void *context), void *context)
{
	pthread_t thread[THREADS_MAX];
	size_t started = 1;

	while (started < count && started < THREADS_MAX &&
	       pthread_create(&thread[started], NULL, run, context) == 0)
		started++;
	run(context);
	for (size_t i = 1; i < started; i++)
		pthread_join(thread[i], NULL);
}

/* As many threads as there are processors, up to THREADS_MAX. */
static inline unsigned threads_default(void)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online < 1 ? 1 : online > THREADS_MAX ? THREADS_MAX : (unsigned)online;
}

#endif
