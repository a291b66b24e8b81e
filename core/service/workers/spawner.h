/* SPDX-License-Identifier: MIT */
/*
 * The process that starts the workers, and replaces those that have ended. It has one thread, which the process that speaks with
 * clients has not, and it reads nothing but what that process asks for. It is started before the first thread.
 *
 *	struct spawner spawner;
 *	if (spawner_start(&options, &spawner))
 *		socket = spawner_replace(&spawner, slot);
 *	spawner_stop(&spawner);
 */
#ifndef CAIRN_SERVICE_WORKERS_SPAWNER_H
#define CAIRN_SERVICE_WORKERS_SPAWNER_H

#include <pthread.h>
#include <sys/types.h>

#include <cairn.h>

enum { SPAWNER_SLOTS = 80 }; /* workers at a time */

struct spawner_options {
	/* What the worker of a slot does until its socket has ended; it may not return. */
	void (*run)(void *context, unsigned slot, int socket);
	void *context;
};

struct spawner {
	pthread_mutex_t mutex;
	int socket;
	pid_t pid;
};

bool spawner_start(const struct spawner_options *options, struct spawner *spawner);

/* Ends the worker of a slot, if there is one, and starts another. Returns our end of its socket; any thread may call this. */
int spawner_replace(struct spawner *spawner, unsigned slot);

/* With all its workers. */
void spawner_stop(struct spawner *spawner);

#endif
