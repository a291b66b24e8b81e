/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SOCK_CLOEXEC, POLLRDHUP */
/* Starts workers by fork(), in a process without threads, and ends them by the number that their parent knows. */
#include "spawner.h"

#include "os/channel.h"
#include "os/children.h"
#include "os/confine.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the process of the spawner knows. */
struct nursery {
	struct spawner_options options;
	int socket;
	pid_t worker
		[SPAWNER_SLOTS]; /* 0: none; one that has ended is waited for when it is replaced */
};

static pid_t start_worker(struct nursery *nursery, uint32_t slot, int socket)
{
	const pid_t pid = fork();

	if (pid == 0) {
		close(nursery->socket);
		nursery->options.run(nursery->options.context, slot, socket);
		_exit(1);
	}
	return pid;
}

/* One request: a number and a socket in, the number of a process out. False: nobody asks any more. */
static bool serve_one(struct nursery *nursery)
{
	uint32_t slot;
	int32_t pid = -1;
	int socket = -1;

	if (!channel_receive(nursery->socket, &slot, sizeof(slot), &socket, CHANNEL_NEVER))
		return false;
	if (slot < SPAWNER_SLOTS && socket >= 0) {
		if (nursery->worker[slot] > 0)
			(void)os_child_end(nursery->worker[slot], 0, NULL);
		pid = (int32_t)start_worker(nursery, slot, socket);
		nursery->worker[slot] = pid > 0 ? pid : 0;
	}
	if (socket >= 0)
		close(socket);
	return channel_send(nursery->socket, &pid, sizeof(pid), -1, CHANNEL_NEVER);
}

static _Noreturn void run_nursery(const struct spawner_options *options, int socket, pid_t parent)
{
	struct nursery nursery = { .options = *options, .socket = socket };

	if (os_end_with_parent(parent) != 0)
		_exit(1);
	while (serve_one(&nursery))
		continue;
	for (uint32_t slot = 0; slot < SPAWNER_SLOTS; slot++)
		if (nursery.worker[slot] > 0)
			(void)os_child_end(nursery.worker[slot], 0, NULL);
	_exit(0);
}

bool spawner_start(const struct spawner_options *options, struct spawner *spawner)
{
	const pid_t parent = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	spawner->pid = fork();
	if (spawner->pid == 0) {
		close(pair[0]);
		run_nursery(options, pair[1], parent);
	}
	close(pair[1]);
	spawner->socket = pair[0];
	if (spawner->pid > 0 && pthread_mutex_init(&spawner->mutex, NULL) == 0)
		return true;
	close(pair[0]);
	return false;
}

int spawner_replace(struct spawner *spawner, unsigned slot)
{
	const uint32_t number = slot;
	int32_t pid = -1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	pthread_mutex_lock(&spawner->mutex);
	const uint64_t until = channel_clock() + SPAWNER_SECONDS * 1000;
	const bool asked = !spawner->is_lost &&
	                   channel_send(spawner->socket, &number, sizeof(number), pair[1], until) &&
	                   channel_receive(spawner->socket, &pid, sizeof(pid), NULL, until);
	/* the answer to this question could come after the next one */
	spawner->is_lost |= !asked;
	pthread_mutex_unlock(&spawner->mutex);
	close(pair[1]);
	if (asked && pid > 0)
		return pair[0];
	close(pair[0]);
	return -1;
}

bool spawner_is_alive(const struct spawner *spawner)
{
	struct pollfd end = { .fd = spawner->socket, .events = POLLRDHUP };

	return !spawner->is_lost && poll(&end, 1, 0) == 0;
}

void spawner_stop(struct spawner *spawner)
{
	close(spawner->socket);
	/* one that does not answer may be stopped; it is killed when this process ends, which is not allowed to do it */
	if (!spawner->is_lost &&
	    os_child_await(spawner->pid, channel_clock() + SPAWNER_SECONDS * 1000))
		(void)waitpid(spawner->pid, NULL, WNOHANG);
	pthread_mutex_destroy(&spawner->mutex);
}
