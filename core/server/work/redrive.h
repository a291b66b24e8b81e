/* SPDX-License-Identifier: MIT */
/*
 * Dead letters become requests again: those that are in their queue now, with the sender's headers and without what cairn has counted. Each is in one of the
 * two queues at any moment, or in both, never in none.
 */
#ifndef CAIRN_SERVER_WORK_REDRIVE_H
#define CAIRN_SERVER_WORK_REDRIVE_H

#include "server/amqp/broker.h"

#include <signal.h>

struct redrive_options {
	const char *url, *ca_file, *dead, *requests;
	uint64_t most;        /* letters; 0: all */
	unsigned heartbeat;   /* seconds */
	const sigset_t *ends; /* signals that end it; blocked */
};

/* *moved is how many have become requests, also where it returns false with words for people. */
bool redrive_run(const struct redrive_options *options, uint64_t *moved,
                 char message[BROKER_MESSAGE_MAX]);

#endif
