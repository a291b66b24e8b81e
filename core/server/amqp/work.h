/* SPDX-License-Identifier: MIT */
/*
 * A worker that receives requests from a broker (broker.h), lets a child process answer them
 * (service/child.h) and sends the answers. Any number of workers can share a queue. A request is
 * acknowledged only after the broker has confirmed the answer, so no request is lost when a worker
 * ends. A request that crashes the child affects neither the connection nor other requests.
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
	WORK_PREFETCH = 16, /* default maximum number of unacknowledged requests */
	WORK_HEARTBEAT = 10,
	WORK_SECONDS = 30, /* default time limit per request in seconds */
	WORK_FLUSH = 5,    /* milliseconds to delay an answer, so that it can be sent with others */
	/* milliseconds to sleep, so that several answers from the child are read together */
	WORK_NAP = 1,
	WORK_DRAIN = 20, /* seconds allowed for finishing the held requests after a signal */
	/*
	 * milliseconds to wait for requests that were sent before the broker handled the
	 * cancellation
	 */
	WORK_LINGER = 500,
	WORK_PAUSE = 1000, /* milliseconds to wait when a queue is full */
	/* milliseconds before the first reconnection; doubled for each further attempt */
	WORK_BACKOFF_LEAST = 500,
	WORK_BACKOFF_MOST = 30000,
	WORK_TURN = 500, /* milliseconds between two checks of deadlines */
};

struct work_options {
	struct broker_options broker;
	const char *answers, *dead; /* queue names; if `dead` is NULL, dead letters are rejected */
	const char *later[VERDICT_DELAYS_MAX];
	unsigned delays;
	struct child_options child;
	unsigned seconds;
	const sigset_t *ends; /* signals that end the worker; the caller has blocked them */
	void (*say)(void *context, const char *what, const char *why);
	void (*show)(void *context, const struct work_metrics *metrics);
	void *context;
};

/*
 * Run until a signal arrives. Returns false, after reporting the error, if the child cannot be
 * started.
 */
bool work_run(const struct work_options *options);

/*
 * Moves all current dead letters back to the request queue. Keeps the sender's headers and removes
 * cairn's counters. At any moment each message is in at least one of the two queues.
 */
struct redrive_options {
	const char *url, *ca_file, *dead, *requests;
	uint64_t most; /* maximum number of messages to move; 0 moves all */
	unsigned heartbeat;
	const sigset_t *ends; /* signals that stop the move; the caller has blocked them */
};

/*
 * Move the messages, and set *moved to the number of moved messages, even on failure. Returns false
 * and writes the reason to `message` on failure.
 */
bool redrive_run(const struct redrive_options *options, uint64_t *moved,
                 char message[BROKER_MESSAGE_MAX]);

#endif
