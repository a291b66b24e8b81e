/* SPDX-License-Identifier: MIT */
/* One connection to a broker with one channel: opening, closing, and words for what went wrong. */
#ifndef CAIRN_SERVER_AMQP_LINK_H
#define CAIRN_SERVER_AMQP_LINK_H

#include "broker.h"

#include <amqp.h>

enum { LINK_CHANNEL = 1 };

/* A message that arrives frame by frame. */
struct link_message {
	bool is_request; /* else it is a letter that came back, whose content is passed over */
	bool has_method, has_head;
	struct broker_request request;
	uint64_t at; /* bytes of the body that have come */
};

struct link {
	amqp_connection_state_t state;
	bool is_blocked;
	struct link_message message;
	uint64_t sent; /* letters; each has the next number */
};

/* Connects and says who we are. False with words; what is open then is closed by link_close(). */
bool link_open(struct link *link, const struct broker_options *options, const char *what,
               char message[BROKER_MESSAGE_MAX]);
void link_close(struct link *link, bool politely);

/* What an answer of the broker says; true: it is good. */
bool link_check(amqp_rpc_reply_t reply, const char *what, char message[BROKER_MESSAGE_MAX]);

/* Reads a frame that has come. *got: there was one. False with words: the connection is dead. */
bool link_next(struct link *link, amqp_frame_t *frame, bool *got, char message[BROKER_MESSAGE_MAX]);

/* Takes what is the same on both connections: the end of them, and whether letters are wanted. */
bool link_take_method(struct link *link, const amqp_method_t *method,
                      char message[BROKER_MESSAGE_MAX]);

/* Content of a message: a frame with properties, or with a part of the body. False: memory is short. *whole: all of it is there. */
bool message_take(struct link_message *message, const amqp_frame_t *frame, bool *whole);
void message_drop(struct link_message *message);

/* A copy of properties that are passed on; NULL in *origin if there are none. False: memory is short. */
bool origin_copy(const amqp_basic_properties_t *properties, struct broker_request *request);

/* Fills in the properties of a letter; `entries` has room for the headers. False: memory is short. */
bool origin_apply(const struct broker_letter *letter, amqp_basic_properties_t *properties,
                  amqp_table_entry_t **entries);

#endif
