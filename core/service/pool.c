/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SOCK_CLOEXEC, POLLRDHUP */
/*
 * Forks processes from a single-threaded spawner. The service ends these processes through the pids
 * that the spawner reports.
 */
#include "pool.h"

#include "os/channel.h"
#include "os/children.h"
#include "os/confine.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Serve fork requests in the spawner: receive a slot index and a socket, and reply with the pid.
 * Exits when the socket is closed.
 */
static _Noreturn void run_spawner(pool_run *run, void *context, int asked, pid_t parent)
{
	/* Pid of each slot's process, or 0. An ended process is reaped when it is replaced. */
	pid_t started[POOL_SLOTS] = { 0 };
	uint32_t slot;
	int32_t pid;
	int socket;

	if (os_end_with_parent(parent) != 0)
		_exit(1);
	do {
		pid = -1;
		if (!channel_receive(asked, &slot, sizeof(slot), &socket, CHANNEL_NEVER))
			break;
		if (slot < POOL_SLOTS && socket >= 0) {
			if (started[slot] > 0)
				(void)os_child_end(started[slot], 0, NULL);
			pid = (int32_t)fork();
			if (pid == 0) {
				close(asked);
				run(context, slot, socket);
				_exit(1);
			}
			started[slot] = pid > 0 ? pid : 0;
		}
		if (socket >= 0)
			close(socket);
	} while (channel_send(asked, &pid, sizeof(pid), -1, CHANNEL_NEVER));
	for (slot = 0; slot < POOL_SLOTS; slot++)
		if (started[slot] > 0)
			(void)os_child_end(started[slot], 0, NULL);
	_exit(0);
}

bool pool_start(struct pool *pool, pool_run *run, void *context)
{
	const pid_t parent = getpid();
	int pair[2];

	*pool = (struct pool){ .socket = -1 };
	if (pthread_mutex_init(&pool->mutex, NULL) != 0)
		return false;
	for (unsigned i = 0; i < POOL_SLOTS; i++) {
		pool->slot[i].socket = -1;
		if (pthread_mutex_init(&pool->slot[i].mutex, NULL) != 0 ||
		    !channel_condition_init(&pool->slot[i].released))
			return false;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	pool->spawner = fork();
	if (pool->spawner == 0) {
		close(pair[0]);
		run_spawner(run, context, pair[1], parent);
	}
	close(pair[1]);
	pool->socket = pair[0];
	if (pool->spawner > 0)
		return true;
	close(pair[0]);
	return false;
}

bool pool_lock(struct pool_slot *slot, uint64_t until)
{
	bool waits = true;

	pthread_mutex_lock(&slot->mutex);
	while (slot->is_locked && waits)
		waits = channel_wait(&slot->released, &slot->mutex, until);
	const bool is_free = !slot->is_locked;
	slot->is_locked = true;
	pthread_mutex_unlock(&slot->mutex);
	return is_free;
}

void pool_unlock(struct pool_slot *slot)
{
	pthread_mutex_lock(&slot->mutex);
	slot->is_locked = false;
	pthread_cond_signal(&slot->released);
	pthread_mutex_unlock(&slot->mutex);
}

bool pool_ensure(struct pool *pool, struct pool_slot *slot)
{
	const uint32_t number = (uint32_t)(slot - pool->slot);
	int32_t pid = -1;
	int pair[2];

	if (slot->socket >= 0)
		return true;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	pthread_mutex_lock(&pool->mutex);
	const uint64_t until = channel_clock() + POOL_SECONDS * 1000;
	const bool asked = !pool->is_lost &&
	                   channel_send(pool->socket, &number, sizeof(number), pair[1], until) &&
	                   channel_receive(pool->socket, &pid, sizeof(pid), NULL, until);
	/*
	 * Abandon the spawner after a timeout: a late reply would be taken for the reply to the
	 * next request.
	 */
	pool->is_lost |= !asked;
	pthread_mutex_unlock(&pool->mutex);
	close(pair[1]);
	if (asked && pid > 0)
		slot->socket = pair[0];
	else
		close(pair[0]);
	return slot->socket >= 0;
}

void pool_drop(struct pool *pool, struct pool_slot *slot)
{
	close(slot->socket);
	slot->socket = -1;
	atomic_fetch_add(&pool->replaced, 1);
}

bool pool_is_alive(const struct pool *pool)
{
	struct pollfd end = { .fd = pool->socket, .events = POLLRDHUP };

	return !pool->is_lost && poll(&end, 1, 0) == 0;
}

void pool_stop(struct pool *pool)
{
	for (unsigned i = 0; i < POOL_SLOTS; i++)
		if (pool->slot[i].socket >= 0)
			close(pool->slot[i].socket);
	close(pool->socket);
	/*
	 * An unresponsive spawner may have been stopped. The service is not permitted to kill it,
	 * but the kernel kills it when the service ends.
	 */
	if (!pool->is_lost && os_child_await(pool->spawner, channel_clock() + POOL_SECONDS * 1000))
		(void)waitpid(pool->spawner, NULL, WNOHANG);
	pthread_mutex_destroy(&pool->mutex);
}
