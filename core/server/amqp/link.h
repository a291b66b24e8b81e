/* SPDX-License-Identifier: MIT */
/* Connection to a broker with one channel: opens and closes it and describes errors. */
#ifndef CAIRN_SERVER_AMQP_LINK_H
#define CAIRN_SERVER_AMQP_LINK_H

#include "broker.h"

#include <amqp.h>

enum { LINK_CHANNEL = 1 };

struct link_message {
	bool is_request; /* if false, this is a returned message, and its content is skipped */
	bool has_method, has_head;
	struct broker_request request;
	uint64_t at;
};

struct link {
	amqp_connection_state_t state;
	bool is_blocked;
	struct link_message message;
	uint64_t sent; /* number of messages sent, which is the number of the latest */
};

/*
 * Connect and log in; `what` names the connection for operators. Returns false with the reason. The
 * caller calls link_close() in any case.
 */
bool link_open(struct link *link, const struct broker_options *options, const char *what,
               char message[BROKER_MESSAGE_MAX]);
void link_close(struct link *link, bool politely);

/* Return true if the broker's reply is a success. Otherwise writes the reason to `message`. */
bool link_check(amqp_rpc_reply_t reply, const char *what, char message[BROKER_MESSAGE_MAX]);

/*
 * Read one frame if one has arrived, and set *got. Returns false, with the reason, if the
 * connection is lost.
 */
bool link_next(struct link *link, amqp_frame_t *frame, bool *got, char message[BROKER_MESSAGE_MAX]);

/*
 * Handle the methods common to both connections: their end, and whether the broker accepts
 * messages.
 */
bool link_take_method(struct link *link, const amqp_method_t *method,
                      char message[BROKER_MESSAGE_MAX]);

/*
 * Handle a content frame: properties or a part of the body. Sets *whole if the message is complete.
 * Returns false if memory is short.
 */
bool message_take(struct link_message *message, const amqp_frame_t *frame, bool *whole);
void message_drop(struct link_message *message);

/*
 * Copy the properties that are forwarded to request->origin, which stays NULL if the request has no
 * such properties. Returns false if memory is short.
 */
bool origin_copy(const amqp_basic_properties_t *properties, struct broker_request *request);

/*
 * Fill in the properties of a message. The caller frees *entries, which holds the headers. Returns
 * false if memory is short.
 */
bool origin_apply(const struct broker_letter *letter, amqp_basic_properties_t *properties,
                  amqp_table_entry_t **entries);

#endif
