/* SPDX-License-Identifier: MIT */
/*
 * Confined processes in numbered slots: each is started when it is wanted, speaks with one thread at a time, and is replaced after
 * it has ended or was late. A spawner starts them: a process with one thread, which this one has not, that reads nothing but slot
 * numbers. The pool is started before the first thread.
 *
 *	struct pool pool;
 *	if (pool_start(&pool, run, context)) {
 *		struct pool_slot *slot = &pool.slot[0];
 *		if (pool_lock(slot, until)) {
 *			if (pool_ensure(&pool, slot))
 *				... slot->socket
 *			pool_unlock(slot);
 *		}
 *		pool_stop(&pool);
 *	}
 */
#ifndef CAIRN_SERVICE_WORKERS_POOL_H
#define CAIRN_SERVICE_WORKERS_POOL_H

#include <cairn.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum {
	POOL_SLOTS = 80,   /* processes at a time */
	POOL_SECONDS = 20, /* seconds for the start of one; a later spawner is lost */
};

struct pool_slot {
	pthread_mutex_t mutex; /* guards is_locked, a lock with a deadline */
	pthread_cond_t released;
	bool is_locked;
	int socket; /* -1: the process has to be started */
};

/* Does the work of one slot until its socket ends; never returns. */
typedef void pool_run(void *context, unsigned slot, int socket);

struct pool {
	struct pool_slot slot[POOL_SLOTS];
	pthread_mutex_t mutex; /* guards the conversation with the spawner */
	int socket;
	pid_t spawner;
	_Atomic bool is_lost;      /* the spawner was late, or its socket has ended */
	_Atomic uint64_t replaced; /* processes that were dropped */
};

/* Start the spawner alone. Returns false if it, or a mutex, could not be had. */
bool pool_start(struct pool *pool, pool_run *run, void *context);

/* Wait until no other thread has the slot. Returns false if the moment of channel_clock() comes first. */
bool pool_lock(struct pool_slot *slot, uint64_t until);
void pool_unlock(struct pool_slot *slot);

/* Start the process of a locked slot if there is none. Returns false if it could not be started. */
bool pool_ensure(struct pool *pool, struct pool_slot *slot);

/* Give up the process of a locked slot with what it was doing; pool_ensure() kills it and starts another. */
void pool_drop(struct pool *pool, struct pool_slot *slot);

/* Return false if the spawner was killed or no longer answers: then no process can be started any more. */
bool pool_is_alive(const struct pool *pool);

/* End the spawner with all its processes. */
void pool_stop(struct pool *pool);

#endif
