/* SPDX-License-Identifier: MIT */
/*
 * The clients that are connected, so that those who are too slow can be sent away.  A client that
 * is silent is noticed by the HTTP library; one that sends a byte now and then is noticed here. The
 * connection is shut down, and whoever reads from it sees its end.
 */
#ifndef CAIRN_NET_CONNECTIONS_H
#define CAIRN_NET_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum visitor_phase {
	VISITOR_HEADERS, /* sends a request's line and headers, or nothing yet */
	VISITOR_BODY,    /* sends a body */
	VISITOR_ANSWER,  /* waits for an answer, or receives it: not slow by its own fault */
};

struct visitor {
	struct visitor *next, *previous;
	int fd;
	enum visitor_phase phase;
	time_t since;      /* of the phase, of a clock that only goes on */
	uint64_t received; /* bytes of the body */
	bool sent_away;
};

struct visitors {
	pthread_mutex_t mutex;
	struct visitor *first;
	unsigned count;
};

int visitors_init(struct visitors *visitors);
void visitors_finish(struct visitors *visitors);

/* `visitor` is the caller's, from here until it is taken off the list. */
void visitors_add(struct visitors *visitors, struct visitor *visitor, int fd);
void visitors_remove(struct visitors *visitors, struct visitor *visitor);

void visitors_enter(struct visitors *visitors, struct visitor *visitor, enum visitor_phase phase);
void visitors_count(struct visitors *visitors, struct visitor *visitor, uint64_t bytes);

/* Shuts down who took longer than `seconds` for headers, or sends slower than `rate`. */
void visitors_watch(struct visitors *visitors, unsigned seconds, uint64_t rate);

/* How many are sending a body, or being answered. */
unsigned visitors_busy(struct visitors *visitors);

#endif
