/* SPDX-License-Identifier: MIT */
#include "connections.h"

#include <sys/socket.h>

static time_t read_clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

int visitors_init(struct visitors *visitors)
{
	*visitors = (struct visitors){ .first = NULL };
	return pthread_mutex_init(&visitors->mutex, NULL);
}

void visitors_finish(struct visitors *visitors)
{
	pthread_mutex_destroy(&visitors->mutex);
}

void visitors_add(struct visitors *visitors, struct visitor *visitor, int fd)
{
	*visitor = (struct visitor){ .fd = fd,
		                     .phase = VISITOR_HEADERS,
		                     .since = read_clock_seconds() };
	pthread_mutex_lock(&visitors->mutex);
	visitor->next = visitors->first;
	if (visitor->next)
		visitor->next->previous = visitor;
	visitors->first = visitor;
	visitors->count++;
	pthread_mutex_unlock(&visitors->mutex);
}

void visitors_remove(struct visitors *visitors, struct visitor *visitor)
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

void visitors_enter(struct visitors *visitors, struct visitor *visitor, enum visitor_phase phase)
{
	pthread_mutex_lock(&visitors->mutex);
	visitor->phase = phase;
	visitor->since = read_clock_seconds();
	visitor->received = 0;
	pthread_mutex_unlock(&visitors->mutex);
}

void visitors_count(struct visitors *visitors, struct visitor *visitor, uint64_t bytes)
{
	pthread_mutex_lock(&visitors->mutex);
	visitor->received += bytes;
	pthread_mutex_unlock(&visitors->mutex);
}

static bool is_slow(const struct visitor *visitor, uint64_t spent, unsigned seconds, uint64_t rate)
{
	if (spent <= seconds)
		return false;
	switch (visitor->phase) {
	case VISITOR_HEADERS:
		return true;
	case VISITOR_BODY:
		return visitor->received / spent < rate;
	case VISITOR_ANSWER:
		break;
	}
	return false;
}

void visitors_watch(struct visitors *visitors, unsigned seconds, uint64_t rate)
{
	time_t at = read_clock_seconds();

	pthread_mutex_lock(&visitors->mutex);
	for (struct visitor *v = visitors->first; v; v = v->next)
		if (!v->sent_away && is_slow(v, (uint64_t)(at - v->since), seconds, rate)) {
			v->sent_away = true;
			shutdown(v->fd, SHUT_RDWR);
		}
	pthread_mutex_unlock(&visitors->mutex);
}

unsigned visitors_busy(struct visitors *visitors)
{
	unsigned busy = 0;

	pthread_mutex_lock(&visitors->mutex);
	for (const struct visitor *v = visitors->first; v; v = v->next)
		busy += v->phase != VISITOR_HEADERS;
	pthread_mutex_unlock(&visitors->mutex);
	return busy;
}
