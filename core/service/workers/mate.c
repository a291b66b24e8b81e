/* SPDX-License-Identifier: MIT */
/* Starts, locks and drops workers and fetchers. */
#include "mate.h"

#include "os/channel.h"

#include <unistd.h>

bool mates_open(struct mate *mates, unsigned count, unsigned first_slot)
{
	for (unsigned i = 0; i < count; i++) {
		mates[i].socket = -1;
		mates[i].slot = first_slot + i;
		if (pthread_mutex_init(&mates[i].mutex, NULL) != 0 ||
		    !channel_condition_init(&mates[i].released))
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
	bool waits = true;

	pthread_mutex_lock(&mate->mutex);
	while (mate->is_locked && waits)
		waits = channel_wait(&mate->released, &mate->mutex, until);
	const bool is_free = !mate->is_locked;
	mate->is_locked = true;
	pthread_mutex_unlock(&mate->mutex);
	return is_free;
}

void mate_unlock(struct mate *mate)
{
	pthread_mutex_lock(&mate->mutex);
	mate->is_locked = false;
	pthread_cond_signal(&mate->released);
	pthread_mutex_unlock(&mate->mutex);
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
