/* SPDX-License-Identifier: MIT */
/* Looks whether queues are there, or declares them. */
#ifndef CAIRN_SERVER_AMQP_QUEUES_H
#define CAIRN_SERVER_AMQP_QUEUES_H

#include "link.h"

/* False with words: one is not there, or is another one. *waiting is how many messages the first has. */
bool queues_prepare(struct link *link, const struct broker_options *options, uint64_t *waiting,
                    char message[BROKER_MESSAGE_MAX]);

#endif
