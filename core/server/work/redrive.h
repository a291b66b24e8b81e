/* SPDX-License-Identifier: MIT */
/*
 * Moves the current dead letters back to the queue of requests, with the sender's headers but
 * without cairn's counters. At any moment each message is in one of the two queues or in both.
 */
#ifndef CAIRN_SERVER_WORK_REDRIVE_H
#define CAIRN_SERVER_WORK_REDRIVE_H

#include "server/amqp/broker.h"

#include <signal.h>

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
