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

enum {
	SPAWNER_SLOTS = 80,   /* workers at a time */
	SPAWNER_SECONDS = 20, /* that it may take to start one; later it counts as lost */
};

struct spawner_options {
	/* What the worker of a slot does until its socket has ended; it may not return. */
	void (*run)(void *context, unsigned slot, int socket);
	void *context;
};

struct spawner {
	pthread_mutex_t mutex;
	int socket;
	pid_t pid;
	_Atomic bool is_lost; /* it was too late, or its socket has ended */
};

bool spawner_start(const struct spawner_options *options, struct spawner *spawner);

/* Ends the worker of a slot, if there is one, and starts another. Returns our end of its socket; any thread may call this. */
int spawner_replace(struct spawner *spawner, unsigned slot);

/* Return false if it was killed or no longer answers: then no worker can be started any more. */
bool spawner_is_alive(const struct spawner *spawner);

/* With all its workers. */
void spawner_stop(struct spawner *spawner);

#endif
