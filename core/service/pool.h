/* SPDX-License-Identifier: MIT */
/*
 * Confined processes in numbered slots. A process is started on demand, serves one thread at a
 * time, and is replaced after it has crashed or missed a deadline. Because it is unsafe to fork a
 * multithreaded process, a single-threaded spawner, which reads only slot indices, forks the
 * processes. Start the pool before the first thread.
 *
 *	struct pool pool;
 *	if (pool_start(&pool, run, context)) {
 *		struct pool_slot *slot = &pool.slot[0];
 *		if (pool_lock(slot, until)) {
 *			if (pool_ensure(&pool, slot))
 *				... slot->socket
 *			pool_unlock(slot);
 *	}
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
	POOL_SLOTS = 80,
	POOL_SECONDS = 20, /* seconds to wait for the spawner; a slower spawner is abandoned */
};

struct pool_slot {
	/* mutex, condition and flag that together implement a lock with a deadline */
	pthread_mutex_t mutex;
	pthread_cond_t released;
	bool is_locked;
	int socket;
};

/*
 * The function that each process runs: serves the socket of one slot until it is closed, and never
 * returns.
 */
typedef void pool_run(void *context, unsigned slot, int socket);

struct pool {
	struct pool_slot slot[POOL_SLOTS];
	pthread_mutex_t mutex; /* serializes requests to the spawner */
	int socket;
	pid_t spawner;
	_Atomic bool is_lost; /* the spawner was too slow or has ended */
	_Atomic uint64_t replaced;
};

bool pool_start(struct pool *pool, pool_run *run, void *context);

/* Lock the slot. Returns false if the deadline `until` of channel_clock() passes first. */
bool pool_lock(struct pool_slot *slot, uint64_t until);
void pool_unlock(struct pool_slot *slot);

/* Start a locked slot's process if it is not running. Returns false on failure. */
bool pool_ensure(struct pool *pool, struct pool_slot *slot);

/* Abandon a locked slot's process. The next pool_ensure() kills it and starts another. */
void pool_drop(struct pool *pool, struct pool_slot *slot);

/*
 * Return false if the spawner has been killed or is unresponsive, so that no more processes can be
 * started.
 */
bool pool_is_alive(const struct pool *pool);

void pool_stop(struct pool *pool);

#endif
