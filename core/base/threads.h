/* SPDX-License-Identifier: MIT */
/* Runs several threads within one call of the library. */
#ifndef CAIRN_BASE_THREADS_H
#define CAIRN_BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { THREADS_MAX = 8 };

/*
 * Call `run` on up to `count` threads, including the current one, and wait for all of them. There
 * are at most THREADS_MAX threads, and fewer if the system cannot create them. Each call of `run`
 * must therefore take work items from a common list until it is empty.
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
