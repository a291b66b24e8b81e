/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* TCP_CORK */
/* Implements a broker as two connections, and dispatches what arrives on each. */
#include "broker.h"

#include "link.h"
#include "queues.h"

#include <amqp_framing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

struct broker {
	struct link taking, sending;
	amqp_bytes_t consumer;
	uint64_t waiting;
	const struct broker_events *events;
	void *context;
};

static bool start_consuming(struct broker *broker, const struct broker_options *options,
                            char message[BROKER_MESSAGE_MAX])
{
	amqp_connection_state_t state = broker->taking.state;

	amqp_basic_qos(state, LINK_CHANNEL, 0, (uint16_t)options->prefetch, 0);
	if (!link_check(amqp_get_rpc_reply(state), "cannot limit deliveries", message))
		return false;
	broker->consumer = amqp_cstring_bytes("cairn");
	amqp_basic_consume(state, LINK_CHANNEL, amqp_cstring_bytes(options->queues[0].name),
	                   broker->consumer, 0, 0, 0, amqp_empty_table);
	return link_check(amqp_get_rpc_reply(state), "cannot take requests", message);
}

/*
 * Open the sending connection and check its queues first, so that no request is received before it
 * can be answered.
 */
static bool open_links(struct broker *broker, const struct broker_options *options,
                       char message[BROKER_MESSAGE_MAX])
{
	if (!link_open(&broker->sending, options, "cairn work: answers", message) ||
	    !queues_prepare(&broker->sending, options, &broker->waiting, message))
		return false;
	amqp_confirm_select(broker->sending.state, LINK_CHANNEL);
	if (!link_check(amqp_get_rpc_reply(broker->sending.state), "no confirmations", message))
		return false;
	return link_open(&broker->taking, options, "cairn work: requests", message) &&
	       start_consuming(broker, options, message);
}

bool broker_open(const struct broker_options *options, struct broker **broker,
                 char message[BROKER_MESSAGE_MAX])
{
	*broker = calloc(1, sizeof(**broker));
	if (!*broker) {
		snprintf(message, BROKER_MESSAGE_MAX, "out of memory");
		return false;
	}
	if (open_links(*broker, options, message))
		return true;
	broker_close(*broker, false);
	*broker = NULL;
	return false;
}

uint64_t broker_waiting(const struct broker *broker)
{
	return broker->waiting;
}

int broker_descriptor(const struct broker *broker, unsigned which)
{
	return amqp_get_sockfd(which == 0 ? broker->taking.state : broker->sending.state);
}

static void begin_message(struct link *link, const amqp_method_t *method)
{
	message_drop(&link->message);
	link->message.has_method = true;
	if (method->id == AMQP_BASIC_DELIVER_METHOD) {
		const amqp_basic_deliver_t *delivery = method->decoded;
		link->message.is_request = true;
		link->message.request.tag = delivery->delivery_tag;
		link->message.request.was_delivered = delivery->redelivered;
	}
}

/*
 * Fail on a returned message. The broker confirms a message that no queue accepted, so a return
 * must end the connection; the queues are checked again when the next one is opened.
 */
static bool take_return(const amqp_basic_return_t *returned, char message[BROKER_MESSAGE_MAX])
{
	const amqp_bytes_t key = returned->routing_key;

	snprintf(message, BROKER_MESSAGE_MAX, "no queue '%.*s' any more",
	         (int)(key.len < BROKER_NAME_MAX ? key.len : BROKER_NAME_MAX),
	         (const char *)key.bytes);
	return false;
}

static bool take_method(struct broker *broker, struct link *link, const amqp_method_t *method,
                        char message[BROKER_MESSAGE_MAX])
{
	const amqp_basic_ack_t *ack = method->decoded;
	const amqp_basic_nack_t *nack = method->decoded;

	switch (method->id) {
	case AMQP_BASIC_DELIVER_METHOD:
		begin_message(link, method);
		return true;
	case AMQP_BASIC_RETURN_METHOD:
		return take_return(method->decoded, message);
	case AMQP_BASIC_ACK_METHOD:
		broker->events->confirm(broker->context, ack->delivery_tag, ack->multiple, true);
		return true;
	case AMQP_BASIC_NACK_METHOD:
		broker->events->confirm(broker->context, nack->delivery_tag, nack->multiple, false);
		return true;
	}
	return link_take_method(link, method, message);
}

static bool take_content(struct broker *broker, struct link *link, const amqp_frame_t *frame,
                         char message[BROKER_MESSAGE_MAX])
{
	bool whole = false;

	if (!message_take(&link->message, frame, &whole)) {
		snprintf(message, BROKER_MESSAGE_MAX, "out of memory");
		return false;
	}
	if (!whole)
		return true;
	if (link->message.is_request) {
		broker->events->request(broker->context, &link->message.request);
		link->message.request.body = NULL;
		link->message.request.origin = NULL;
	}
	message_drop(&link->message);
	return true;
}

static bool has_more(const struct link *link)
{
	return amqp_frames_enqueued(link->state) || amqp_data_in_buffer(link->state);
}

/* Read the socket once. The caller's poll() reports whether more has arrived. */
static bool read_link(struct broker *broker, struct link *link, char message[BROKER_MESSAGE_MAX])
{
	amqp_frame_t frame;
	bool got, good;

	do {
		good = link_next(link, &frame, &got, message);
		if (!good || !got)
			break;
		good = frame.frame_type == AMQP_FRAME_METHOD
		               ? take_method(broker, link, &frame.payload.method, message)
		               : take_content(broker, link, &frame, message);
	} while (good && has_more(link));
	return good;
}

bool broker_read(struct broker *broker, unsigned which, const struct broker_events *events,
                 void *context, char message[BROKER_MESSAGE_MAX])
{
	broker->events = events;
	broker->context = context;
	return (!(which & BROKER_SENDING) || read_link(broker, &broker->sending, message)) &&
	       (!(which & BROKER_TAKING) || read_link(broker, &broker->taking, message));
}

bool broker_has_more(const struct broker *broker)
{
	return has_more(&broker->taking) || has_more(&broker->sending);
}

bool broker_is_blocked(const struct broker *broker)
{
	return broker->sending.is_blocked;
}

void broker_collect(struct broker *broker, bool collects)
{
	const int on = collects;

	(void)setsockopt(amqp_get_sockfd(broker->sending.state), IPPROTO_TCP, TCP_CORK, &on,
	                 sizeof(on));
}

bool broker_send(struct broker *broker, const struct broker_letter *letter, uint64_t *number)
{
	amqp_basic_properties_t properties;
	amqp_table_entry_t *entries;
	const amqp_bytes_t body = { letter->body.size, (void *)letter->body.data };
	const bool ready = origin_apply(letter, &properties, &entries);
	const bool sent =
		ready && amqp_basic_publish(broker->sending.state, LINK_CHANNEL, amqp_empty_bytes,
	                                    amqp_cstring_bytes(letter->queue), 1, 0, &properties,
	                                    body) == AMQP_STATUS_OK;

	free(entries);
	*number = ++broker->sending.sent;
	return sent;
}

bool broker_acknowledge(struct broker *broker, uint64_t tag, bool multiple)
{
	return amqp_basic_ack(broker->taking.state, LINK_CHANNEL, tag, multiple) == AMQP_STATUS_OK;
}

bool broker_reject(struct broker *broker, uint64_t tag)
{
	return amqp_basic_reject(broker->taking.state, LINK_CHANNEL, tag, 0) == AMQP_STATUS_OK;
}

bool broker_cancel(struct broker *broker)
{
	amqp_connection_state_t state = broker->taking.state;
	char message[BROKER_MESSAGE_MAX];

	amqp_basic_cancel(state, LINK_CHANNEL, broker->consumer);
	return link_check(amqp_get_rpc_reply(state), "cancel", message);
}

void broker_close(struct broker *broker, bool politely)
{
	if (!broker)
		return;
	link_close(&broker->taking, politely);
	link_close(&broker->sending, politely);
	free(broker);
}
