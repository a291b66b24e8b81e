/* SPDX-License-Identifier: MIT */
/* Runs the work of one call on several threads. */
#ifndef CAIRN_BASE_THREADS_H
#define CAIRN_BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { THREADS_MAX = 8 };

/*
 * Call `run` on up to `count` threads, including the current one, and wait for all. At most
 * THREADS_MAX are used, and fewer if the system does not start more, so `run` must take work items
 * until none is left.
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

static inline unsigned threads_default(void)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online < 1 ? 1 : online > THREADS_MAX ? THREADS_MAX : (unsigned)online;
}

#endif
