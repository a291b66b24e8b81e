/* SPDX-License-Identifier: MIT */
/*
 * Declares quorum queues, which do not lose messages that they have confirmed. A delay queue moves
 * its messages to the next queue after a time. It rejects messages when it is full instead of
 * dropping them, so that the move loses nothing either.
 */
#include "queues.h"

#include <stdio.h>

enum { ARGUMENTS_MAX = 8, MILLISECONDS = 1000 };

struct arguments {
	amqp_table_entry_t entry[ARGUMENTS_MAX];
	int count;
};

static void add_text_argument(struct arguments *arguments, const char *name, const char *text)
{
	arguments->entry[arguments->count++] =
		(amqp_table_entry_t){ amqp_cstring_bytes(name),
		                      { AMQP_FIELD_KIND_UTF8,
		                        { .bytes = amqp_cstring_bytes(text) } } };
}

static void add_number_argument(struct arguments *arguments, const char *name, int64_t number)
{
	arguments->entry[arguments->count++] =
		(amqp_table_entry_t){ amqp_cstring_bytes(name),
		                      { AMQP_FIELD_KIND_I64, { .i64 = number } } };
}

static void add_arguments(struct arguments *arguments, const struct broker_queue *queue,
                          bool has_requests)
{
	add_text_argument(arguments, "x-queue-type", "quorum");
	if (has_requests)
		add_number_argument(arguments, "x-delivery-limit", BROKER_RESEND_MAX);
	if (queue->delay > 0)
		add_number_argument(arguments, "x-message-ttl",
		                    (int64_t)queue->delay * MILLISECONDS);
	if (!queue->next)
		return;
	add_text_argument(arguments, "x-dead-letter-exchange", "");
	add_text_argument(arguments, "x-dead-letter-routing-key", queue->next);
	add_text_argument(arguments, "x-dead-letter-strategy", "at-least-once");
	add_text_argument(arguments, "x-overflow", "reject-publish");
}

static bool prepare_queue(struct link *link, const struct broker_queue *queue, bool declare,
                          bool has_requests, uint64_t *waiting, char message[BROKER_MESSAGE_MAX])
{
	struct arguments arguments = { .count = 0 };
	char what[BROKER_NAME_MAX + 64];

	snprintf(what, sizeof(what), declare ? "cannot declare queue '%.*s'" : "no queue '%.*s'",
	         BROKER_NAME_MAX, queue->name);
	if (declare)
		add_arguments(&arguments, queue, has_requests);
	const amqp_queue_declare_ok_t *there = amqp_queue_declare(
		link->state, LINK_CHANNEL, amqp_cstring_bytes(queue->name), !declare, 1, 0, 0,
		(amqp_table_t){ arguments.count, arguments.entry });
	*waiting = there ? there->message_count : 0;
	return link_check(amqp_get_rpc_reply(link->state), what, message);
}

bool queues_prepare(struct link *link, const struct broker_options *options, uint64_t *waiting,
                    char message[BROKER_MESSAGE_MAX])
{
	uint64_t count = 0;

	for (size_t i = 0; i < options->queue_count; i++) {
		if (!prepare_queue(link, &options->queues[i], options->declare, i == 0, &count,
		                   message))
			return false;
		if (i == 0)
			*waiting = count;
	}
	return true;
}
