/* SPDX-License-Identifier: MIT */
/* Checks that queues exist, or declares them. */
#ifndef CAIRN_SERVER_AMQP_QUEUES_H
#define CAIRN_SERVER_AMQP_QUEUES_H

#include "link.h"

/*
 * Prepare all queues. Returns false, with the reason, if a queue does not exist or has other
 * arguments. Sets *waiting to the number of messages in the first queue.
 */
bool queues_prepare(struct link *link, const struct broker_options *options, uint64_t *waiting,
                    char message[BROKER_MESSAGE_MAX]);

#endif
