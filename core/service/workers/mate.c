/* SPDX-License-Identifier: MIT */
/* Starts, locks and drops workers and fetchers. */
#include "mate.h"

#include "os/channel.h"

#include <time.h>
#include <unistd.h>

enum { MILLISECONDS = 1000, NANOSECONDS = 1000000000 };

bool mates_open(struct mate *mates, unsigned count, unsigned first_slot)
{
	for (unsigned i = 0; i < count; i++) {
		mates[i].socket = -1;
		mates[i].slot = first_slot + i;
		if (pthread_mutex_init(&mates[i].mutex, NULL) != 0)
			return false;
	}
	return true;
}

void mates_close(const struct mate *mates, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (mates[i].socket >= 0)
			close(mates[i].socket);
}

bool mate_lock(struct mate *mate, uint64_t until)
{
	const uint64_t now = channel_clock(), left = until > now ? until - now : 0;
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += (time_t)(left / MILLISECONDS);
	at.tv_nsec += (long)(left % MILLISECONDS) * (NANOSECONDS / MILLISECONDS);
	if (at.tv_nsec >= NANOSECONDS) {
		at.tv_sec++;
		at.tv_nsec -= NANOSECONDS;
	}
	return pthread_mutex_timedlock(&mate->mutex, &at) == 0;
}

bool mate_ensure(struct mate *mate, struct spawner *spawner)
{
	if (mate->socket < 0)
		mate->socket = spawner_replace(spawner, mate->slot);
	return mate->socket >= 0;
}

void mate_drop(struct mate *mate, _Atomic uint64_t *replaced)
{
	close(mate->socket);
	mate->socket = -1;
	atomic_fetch_add(replaced, 1);
}
