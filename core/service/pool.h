/* SPDX-License-Identifier: MIT */
/*
 * Confined processes in numbered slots. A process is started on demand, serves one thread at a
 * time, and is replaced after it crashed or missed a deadline. It is forked by a spawner, a process
 * that has only one thread, unlike this one, and reads nothing but slot numbers. Start the pool
 * before the first thread.
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
#ifndef CAIRN_SERVICE_POOL_H
#define CAIRN_SERVICE_POOL_H

#include <cairn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum {
	POOL_SLOTS = 80,   /* maximum number of processes */
	POOL_SECONDS = 20, /* time limit for starting a process; a slower spawner is abandoned */
};

struct pool_slot {
	pthread_mutex_t mutex; /* protects is_locked, which implements a lock with a deadline */
	pthread_cond_t released;
	bool is_locked;
	int socket; /* -1: the process is not running */
};

/* Do the work of one slot until its socket is closed; never returns. */
typedef void pool_run(void *context, unsigned slot, int socket);

struct pool {
	struct pool_slot slot[POOL_SLOTS];
	pthread_mutex_t mutex; /* protects the conversation with the spawner */
	int socket;
	pid_t spawner;
	_Atomic bool is_lost; /* the spawner was too slow or has ended */
	_Atomic uint64_t replaced;
};

/* Start the spawner. Returns false if it, or a mutex, could not be created. */
bool pool_start(struct pool *pool, pool_run *run, void *context);

/* Lock the slot. Returns false if the deadline `until` of channel_clock() passes first. */
bool pool_lock(struct pool_slot *slot, uint64_t until);
void pool_unlock(struct pool_slot *slot);

/* Start the process of a locked slot unless it runs. Returns false on failure. */
bool pool_ensure(struct pool *pool, struct pool_slot *slot);

/* Abandon the process of a locked slot; pool_ensure() kills it and starts another. */
void pool_drop(struct pool *pool, struct pool_slot *slot);

/*
 * Return false if the spawner was killed or no longer answers, so that no process can be started
 * any more.
 */
bool pool_is_alive(const struct pool *pool);

void pool_stop(struct pool *pool);

#endif
