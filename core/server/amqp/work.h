/* SPDX-License-Identifier: MIT */
/*
 * A worker of a fleet: receives requests from a broker (server/amqp), lets a child process answer
 * them (service/child.h) and sends the answers. A request is acknowledged only after the broker has
 * confirmed its answer, so a worker that ends at any moment loses nothing. A request that crashes
 * the child affects neither the connection nor other requests.
 *
 *	const struct work_options options = { ... };
 *	if (!work_run(&options))
 *		... the child cannot be started
 */
#ifndef CAIRN_SERVER_AMQP_WORK_H
#define CAIRN_SERVER_AMQP_WORK_H

#include "server/amqp/broker.h"
#include "service/child.h"
#include "service/metrics.h"

#include <signal.h>

enum {
	WORK_PREFETCH = 16,  /* unacknowledged requests; the default */
	WORK_HEARTBEAT = 10, /* seconds */
	WORK_SECONDS = 30,   /* default limit per request */
	WORK_FLUSH = 5,      /* milliseconds for which an answer waits, to be sent with others */
	WORK_NAP = 1,        /* milliseconds until the child's answers are read together */
	WORK_DRAIN = 20,     /* limit for finishing the held requests at the end */
	WORK_LINGER =
		500, /* milliseconds for requests sent before the broker saw the cancellation */
	WORK_PAUSE = 1000,        /* milliseconds to wait if a queue is full */
	WORK_BACKOFF_LEAST = 500, /* milliseconds, doubled each time */
	WORK_BACKOFF_MOST = 30000,
	WORK_TURN = 500, /* milliseconds between two checks of deadlines */
};

struct work_options {
	struct broker_options broker;
	const char *answers, *dead; /* queues; if `dead` is NULL, dead letters are rejected */
	const char *later[VERDICT_DELAYS_MAX];
	unsigned delays;
	struct child_options child;
	unsigned seconds;     /* limit per request */
	const sigset_t *ends; /* blocked signals that end the worker */
	void (*say)(void *context, const char *what, const char *why); /* reports to the user */
	void (*show)(void *context, const struct work_metrics *metrics);
	void *context;
};

/* Run until a signal arrives. Returns false, after reporting it, if the child cannot be started. */
bool work_run(const struct work_options *options);

/*
 * Moves the current dead letters back to the queue of requests, with the sender's headers but
 * without cairn's counters. At any moment each message is in one of the two queues or in both.
 */
struct redrive_options {
	const char *url, *ca_file, *dead, *requests;
	uint64_t most;        /* maximum number; 0: all */
	unsigned heartbeat;   /* seconds */
	const sigset_t *ends; /* signals that stop the transfer; blocked by the caller */
};

/*
 * Move the messages. Sets *moved to their number, even if it returns false with the reason in
 * `message`.
 */
bool redrive_run(const struct redrive_options *options, uint64_t *moved,
                 char message[BROKER_MESSAGE_MAX]);

#endif
