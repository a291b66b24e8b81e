/* SPDX-License-Identifier: MIT */
/*
 * A worker or fetcher as the process sees it that asks: one thread at a time speaks with it, and it is started when it is wanted.
 *
 *	if (mate_lock(mate, until)) {
 *		if (mate_ensure(mate, spawner))
 *			... mate->socket
 *		mate_unlock(mate);
 *	}
 */
#ifndef CAIRN_SERVICE_WORKERS_MATE_H
#define CAIRN_SERVICE_WORKERS_MATE_H

#include "spawner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct mate {
	pthread_mutex_t mutex; /* of the lock, which has a deadline */
	pthread_cond_t released;
	bool is_locked;
	int socket; /* -1: it has to be started */
	unsigned slot;
};

/* `count` of them, none of which is started; false: the system has no room for a mutex. */
bool mates_open(struct mate *mates, unsigned count, unsigned first_slot);

/* Closes their sockets, at which they end. */
void mates_close(const struct mate *mates, unsigned count);

/* Waits until the mate is free; false: the moment has come, in milliseconds of channel_clock(). */
bool mate_lock(struct mate *mate, uint64_t until);
void mate_unlock(struct mate *mate);

/* Starts the mate if it does not run; false: it could not be started. For a thread that has locked it, as mate_drop() is. */
bool mate_ensure(struct mate *mate, struct spawner *spawner);

/* What it was doing is lost; the next question starts another. Counts it in *replaced. */
void mate_drop(struct mate *mate, _Atomic uint64_t *replaced);

#endif
