/* SPDX-License-Identifier: MIT */
/*
 * Replaces amqp/ in builds without librabbitmq. Opening a broker fails, so the other functions are
 * never called.
 */
#include "broker.h"

#include <stdio.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static const char why[] = "cairn was built without librabbitmq";

void broker_origin_free(struct broker_origin *origin)
{
}

bool broker_check_url(const char *url, char message[BROKER_MESSAGE_MAX])
{
	snprintf(message, BROKER_MESSAGE_MAX, "%s", why);
	return false;
}

bool broker_open(const struct broker_options *options, struct broker **broker,
                 char message[BROKER_MESSAGE_MAX])
{
	snprintf(message, BROKER_MESSAGE_MAX, "%s", why);
	return false;
}

uint64_t broker_waiting(const struct broker *broker)
{
	return 0;
}

int broker_descriptor(const struct broker *broker, unsigned which)
{
	return -1;
}

bool broker_read(struct broker *broker, unsigned which, const struct broker_events *events,
                 void *context, char message[BROKER_MESSAGE_MAX])
{
	snprintf(message, BROKER_MESSAGE_MAX, "%s", why);
	return false;
}

bool broker_has_more(const struct broker *broker)
{
	return false;
}

bool broker_is_blocked(const struct broker *broker)
{
	return false;
}

void broker_collect(struct broker *broker, bool collects)
{
}

bool broker_send(struct broker *broker, const struct broker_message *message, uint64_t *number)
{
	return false;
}

bool broker_acknowledge(struct broker *broker, uint64_t tag, bool multiple)
{
	return false;
}

bool broker_reject(struct broker *broker, uint64_t tag)
{
	return false;
}

bool broker_cancel(struct broker *broker)
{
	return false;
}

void broker_close(struct broker *broker, bool politely)
{
}
