/* SPDX-License-Identifier: MIT */
/*
 * A worker of a fleet: requests come from a broker (server/amqp), a child answers them (service/queue), answers go back. A request is
 * acknowledged when the broker has confirmed its answer, and never before, so that a worker that ends at any moment loses nothing. What a
 * request does to the child does nothing to the connection, nor to its neighbours.
 *
 *	const struct work_options options = { ... };
 *	if (!work_run(&options))
 *		... the child cannot be started
 */
#ifndef CAIRN_SERVER_WORK_WORK_H
#define CAIRN_SERVER_WORK_WORK_H

#include "server/amqp/broker.h"
#include "service/queue/child.h"
#include "service/queue/verdict.h"
#include "service/queue/work_metrics.h"

#include <signal.h>

enum {
	WORK_PREFETCH = 16,  /* requests that are held, unless an option says otherwise */
	WORK_HEARTBEAT = 10, /* seconds */
	WORK_SECONDS = 30,   /* that a request may take */
	WORK_FLUSH = 5,      /* milliseconds that an answer waits for others */
	WORK_NAP = 1,        /* milliseconds that the child has for its answers, which are taken together */
	WORK_DRAIN = 20, /* seconds for what is held when the worker is to end */
	WORK_LINGER =
		500, /* milliseconds in which requests come that were sent before the broker heard of it */
	WORK_PAUSE = 1000,        /* milliseconds after a queue was full */
	WORK_BACKOFF_LEAST = 500, /* milliseconds; each time twice as long */
	WORK_BACKOFF_MOST = 30000,
	WORK_TURN = 500, /* milliseconds between two looks at the clock */
};

struct work_options {
	struct broker_options broker;
	const char *answers, *dead; /* queues; dead NULL: the queue of requests has its own way */
	const char *later[VERDICT_DELAYS_MAX]; /* queues that delay */
	unsigned delays;
	struct child_options child;
	unsigned seconds;     /* for a request */
	const sigset_t *ends; /* signals that end the worker; blocked */
	void (*say)(void *context, const char *what, const char *why);   /* for people */
	void (*show)(void *context, const struct work_metrics *metrics); /* each turn */
	void *context;
};

/* Returns after a signal; false: the child cannot be started, which was said. */
bool work_run(const struct work_options *options);

#endif
