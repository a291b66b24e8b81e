/* SPDX-License-Identifier: MIT */
/* Records client connections and shuts down those that are too slow. */
#include "connections.h"

#include <sys/socket.h>

static time_t read_clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

int connections_init(struct connections *visitors)
{
	*visitors = (struct connections){ .first = NULL };
	return pthread_mutex_init(&visitors->mutex, NULL);
}

void connections_finish(struct connections *visitors)
{
	pthread_mutex_destroy(&visitors->mutex);
}

void connections_add(struct connections *visitors, struct client_connection *visitor, int fd)
{
	*visitor = (struct client_connection){ .fd = fd,
		                               .phase = CONNECTION_HEADERS,
		                               .since = read_clock_seconds() };
	pthread_mutex_lock(&visitors->mutex);
	visitor->next = visitors->first;
	if (visitor->next)
		visitor->next->previous = visitor;
	visitors->first = visitor;
	visitors->count++;
	pthread_mutex_unlock(&visitors->mutex);
}

void connections_remove(struct connections *visitors, struct client_connection *visitor)
{
	pthread_mutex_lock(&visitors->mutex);
	if (visitor->next)
		visitor->next->previous = visitor->previous;
	if (visitor->previous)
		visitor->previous->next = visitor->next;
	else
		visitors->first = visitor->next;
	visitors->count--;
	pthread_mutex_unlock(&visitors->mutex);
}

void connections_enter_phase(struct connections *visitors, struct client_connection *visitor,
                             enum connection_phase phase)
{
	pthread_mutex_lock(&visitors->mutex);
	visitor->phase = phase;
	visitor->since = read_clock_seconds();
	visitor->received = 0;
	pthread_mutex_unlock(&visitors->mutex);
}

void connections_count_received(struct connections *visitors, struct client_connection *visitor,
                                uint64_t bytes)
{
	pthread_mutex_lock(&visitors->mutex);
	visitor->received += bytes;
	pthread_mutex_unlock(&visitors->mutex);
}

static bool is_slow(const struct client_connection *visitor, uint64_t spent,
                    const struct connection_limits *limits)
{
	if (spent > limits->transfer)
		return true;
	if (spent <= limits->headers)
		return false;
	switch (visitor->phase) {
	case CONNECTION_HEADERS:
		return true;
	case CONNECTION_BODY:
		return visitor->received / spent < limits->rate;
	case CONNECTION_ANSWER:
		break;
	}
	return false;
}

void connections_drop_slow(struct connections *visitors, const struct connection_limits *limits)
{
	time_t at = read_clock_seconds();

	pthread_mutex_lock(&visitors->mutex);
	for (struct client_connection *v = visitors->first; v; v = v->next)
		if (!v->sent_away && is_slow(v, (uint64_t)(at - v->since), limits)) {
			v->sent_away = true;
			shutdown(v->fd, SHUT_RDWR);
		}
	pthread_mutex_unlock(&visitors->mutex);
}

unsigned connections_busy(struct connections *visitors)
{
	unsigned busy = 0;

	pthread_mutex_lock(&visitors->mutex);
	for (const struct client_connection *v = visitors->first; v; v = v->next)
		busy += v->phase != CONNECTION_HEADERS;
	pthread_mutex_unlock(&visitors->mutex);
	return busy;
}
