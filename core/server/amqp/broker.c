/* SPDX-License-Identifier: MIT */
/*
 * Implements broker.h: opens two connections, declares queues, and reads frames one by one, so that
 * an incomplete message does not block.
 */
#define _DEFAULT_SOURCE /* struct timeval */
#include "broker.h"

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { LINK_CHANNEL = 1 };

struct link_message {
	/* false if the broker has returned the message; its content is then skipped */
	bool is_request;
	bool has_method, has_head;
	struct broker_request request;
	uint64_t at;
};

struct link {
	amqp_connection_state_t state;
	bool is_blocked;
	struct link_message message;
	uint64_t sent; /* number of sent messages; the last message has this sequence number */
};

/*
 * Message properties: keeps the sender's properties when a request moves to another queue, and
 * reads and writes cairn's headers. Properties are untrusted: counts are limited, and properties
 * that are not cairn's are forwarded unchanged.
 */
struct broker_origin {
	amqp_pool_t pool;
	amqp_basic_properties_t properties;
};

enum {
	POOL_PAGE = 512, /* size of a page in bytes; most messages have few properties */
	OWN_HEADERS = 3,
	KEPT = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_CORRELATION_ID_FLAG |
	       AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TIMESTAMP_FLAG | AMQP_BASIC_TYPE_FLAG |
	       AMQP_BASIC_HEADERS_FLAG,
};

void broker_origin_free(struct broker_origin *origin)
{
	if (origin)
		empty_amqp_pool(&origin->pool);
	free(origin);
}

static bool is_header(const amqp_table_entry_t *entry, const char *name)
{
	return entry->key.len == strlen(name) &&
	       memcmp(entry->key.bytes, name, entry->key.len) == 0;
}

static bool is_own_header(const amqp_table_entry_t *entry)
{
	return is_header(entry, BROKER_ATTEMPTS) || is_header(entry, BROKER_CRASHES) ||
	       is_header(entry, BROKER_REASON);
}

/* Read a count of any integer type. A value that cairn never writes is treated as 0. */
static unsigned read_header_count(const amqp_field_value_t *value)
{
	int64_t count = 0;

	if (value->kind == AMQP_FIELD_KIND_I32)
		count = value->value.i32;
	else if (value->kind == AMQP_FIELD_KIND_I64)
		count = value->value.i64;
	return count > 0 && count <= BROKER_ATTEMPTS_MAX ? (unsigned)count : 0;
}

static void read_headers(const amqp_table_t *headers, struct broker_request *request)
{
	for (int i = 0; i < headers->num_entries; i++)
		if (is_header(&headers->entries[i], BROKER_ATTEMPTS))
			request->attempts = read_header_count(&headers->entries[i].value);
		else if (is_header(&headers->entries[i], BROKER_CRASHES))
			request->crashes = read_header_count(&headers->entries[i].value);
}

static bool copy_pool_text(amqp_pool_t *pool, amqp_bytes_t *text)
{
	const amqp_bytes_t from = *text;

	amqp_pool_alloc_bytes(pool, from.len, text);
	if (!text->bytes)
		return from.len == 0;
	if (from.len > 0)
		memcpy(text->bytes, from.bytes, from.len);
	return true;
}

static bool copy_properties(const amqp_basic_properties_t *from, struct broker_origin *origin)
{
	amqp_basic_properties_t *to = &origin->properties;
	amqp_pool_t *pool = &origin->pool;

	*to = *from;
	to->_flags &= KEPT;
	if ((to->_flags & AMQP_BASIC_CONTENT_TYPE_FLAG) && !copy_pool_text(pool, &to->content_type))
		return false;
	if ((to->_flags & AMQP_BASIC_CORRELATION_ID_FLAG) &&
	    !copy_pool_text(pool, &to->correlation_id))
		return false;
	if ((to->_flags & AMQP_BASIC_MESSAGE_ID_FLAG) && !copy_pool_text(pool, &to->message_id))
		return false;
	if ((to->_flags & AMQP_BASIC_TYPE_FLAG) && !copy_pool_text(pool, &to->type))
		return false;
	return !(to->_flags & AMQP_BASIC_HEADERS_FLAG) ||
	       amqp_table_clone(&from->headers, &to->headers, pool) == AMQP_STATUS_OK;
}

/*
 * Copy the properties to forward, if any, into request->origin. Returns false if allocation fails.
 */
static bool origin_copy(const amqp_basic_properties_t *properties, struct broker_request *request)
{
	if (!properties || !(properties->_flags & KEPT))
		return true;
	if (properties->_flags & AMQP_BASIC_HEADERS_FLAG)
		read_headers(&properties->headers, request);
	request->origin = calloc(1, sizeof(*request->origin));
	if (!request->origin)
		return false;
	init_amqp_pool(&request->origin->pool, POOL_PAGE);
	return copy_properties(properties, request->origin);
}

static void add_count(amqp_table_t *headers, const char *name, unsigned count)
{
	if (count > 0)
		headers->entries[headers->num_entries++] =
			(amqp_table_entry_t){ amqp_cstring_bytes(name),
			                      { AMQP_FIELD_KIND_I32, { .i32 = (int32_t)count } } };
}

static void add_reason(amqp_table_t *headers, const char *reason)
{
	if (reason)
		headers->entries[headers->num_entries++] =
			(amqp_table_entry_t){ amqp_cstring_bytes(BROKER_REASON),
			                      { AMQP_FIELD_KIND_UTF8,
			                        { .bytes = amqp_cstring_bytes(reason) } } };
}

static bool make_headers(const struct broker_message *message, amqp_basic_properties_t *properties,
                         amqp_table_entry_t **entries)
{
	const amqp_table_t none = { 0, NULL };
	const bool has_old = properties->_flags & AMQP_BASIC_HEADERS_FLAG;
	const amqp_table_t old = has_old ? properties->headers : none;
	amqp_table_t *headers = &properties->headers;

	*entries = malloc(((size_t)old.num_entries + OWN_HEADERS) * sizeof(**entries));
	if (!*entries)
		return false;
	*headers = (amqp_table_t){ 0, *entries };
	for (int i = 0; i < old.num_entries; i++)
		if (!is_own_header(&old.entries[i]))
			headers->entries[headers->num_entries++] = old.entries[i];
	add_count(headers, BROKER_ATTEMPTS, message->attempts);
	add_count(headers, BROKER_CRASHES, message->crashes);
	add_reason(headers, message->reason);
	properties->_flags |= AMQP_BASIC_HEADERS_FLAG;
	return true;
}

/*
 * Fill in a message's properties. The caller frees *entries, the array of headers. Returns false if
 * allocation fails.
 */
static bool origin_apply(const struct broker_message *message, amqp_basic_properties_t *properties,
                         amqp_table_entry_t **entries)
{
	*entries = NULL;
	*properties = (amqp_basic_properties_t){ ._flags = 0 };
	if (message->origin)
		*properties = message->origin->properties;
	if (message->id.size > 0) {
		/*
		 * The answer gets its own message ID. Unless the request has a correlation ID, the
		 * request's message ID becomes the answer's correlation ID.
		 */
		if ((properties->_flags & AMQP_BASIC_MESSAGE_ID_FLAG) &&
		    !(properties->_flags & AMQP_BASIC_CORRELATION_ID_FLAG)) {
			properties->correlation_id = properties->message_id;
			properties->_flags |= AMQP_BASIC_CORRELATION_ID_FLAG;
		}
		properties->message_id =
			(amqp_bytes_t){ message->id.size, (void *)message->id.data };
		properties->content_type = amqp_cstring_bytes("application/json");
		properties->_flags &= ~(amqp_flags_t)AMQP_BASIC_HEADERS_FLAG;
		properties->_flags |= AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_CONTENT_TYPE_FLAG;
	}
	properties->delivery_mode = AMQP_DELIVERY_PERSISTENT;
	properties->_flags |= AMQP_BASIC_DELIVERY_MODE_FLAG;
	return message->id.size > 0 || make_headers(message, properties, entries);
}

/*
 * Receives a message's content: a frame with properties and the body size, followed by frames with
 * the body. Bytes beyond the limit are counted but not stored, so that a sender cannot make the
 * process use unlimited memory.
 */

static void message_drop(struct link_message *message)
{
	free(message->request.body);
	broker_origin_free(message->request.origin);
	*message = (struct link_message){ .is_request = false };
}

static bool take_head(struct link_message *message, const amqp_frame_t *frame)
{
	struct broker_request *request = &message->request;
	const uint64_t size = frame->payload.properties.body_size;

	message->has_head = true;
	request->whole_size = size;
	request->size = size <= BROKER_REQUEST_MAX ? (size_t)size : BROKER_HEAD_MAX;
	if (!message->is_request)
		return true;
	request->body = malloc(request->size + 1);
	if (!request->body)
		return false;
	request->body[request->size] = '\n';
	return origin_copy(frame->payload.properties.decoded, request);
}

static void take_body_part(struct link_message *message, amqp_bytes_t part)
{
	struct broker_request *request = &message->request;

	if (message->is_request && message->at < request->size && part.len > 0) {
		const size_t at = (size_t)message->at, left = request->size - at;
		memcpy(request->body + at, part.bytes, part.len < left ? part.len : left);
	}
	message->at += part.len;
}

/*
 * Handle a content frame, which contains properties or a piece of the body. Sets *whole if the
 * message is complete. Returns false if allocation fails.
 */
static bool message_take(struct link_message *message, const amqp_frame_t *frame, bool *whole)
{
	if (message->has_method && !message->has_head && frame->frame_type == AMQP_FRAME_HEADER) {
		if (!take_head(message, frame))
			return false;
	} else if (message->has_head && frame->frame_type == AMQP_FRAME_BODY) {
		take_body_part(message, frame->payload.body_fragment);
	}
	*whole = message->has_head && message->at >= message->request.whole_size;
	return true;
}

#define SYSTEM_CA_FILE "/etc/ssl/certs/ca-certificates.crt"

static const struct timeval step_time = { BROKER_SECONDS, 0 };

static void say_text(const char *what, amqp_bytes_t text, char message[BROKER_MESSAGE_MAX])
{
	const size_t most = BROKER_MESSAGE_MAX / 2;

	snprintf(message, BROKER_MESSAGE_MAX, "%s: %.*s", what,
	         (int)(text.len < most ? text.len : most), (const char *)text.bytes);
}

static void say_end(const amqp_method_t *method, const char *what, char message[BROKER_MESSAGE_MAX])
{
	if (method->id == AMQP_CHANNEL_CLOSE_METHOD)
		say_text(what, ((const amqp_channel_close_t *)method->decoded)->reply_text,
		         message);
	else if (method->id == AMQP_CONNECTION_CLOSE_METHOD)
		say_text(what, ((const amqp_connection_close_t *)method->decoded)->reply_text,
		         message);
	else
		snprintf(message, BROKER_MESSAGE_MAX, "%s: the broker refuses", what);
}

static bool link_check(amqp_rpc_reply_t reply, const char *what, char message[BROKER_MESSAGE_MAX])
{
	switch (reply.reply_type) {
	case AMQP_RESPONSE_NORMAL:
		return true;
	case AMQP_RESPONSE_NONE:
		snprintf(message, BROKER_MESSAGE_MAX, "%s: the connection has ended", what);
		return false;
	case AMQP_RESPONSE_LIBRARY_EXCEPTION:
		snprintf(message, BROKER_MESSAGE_MAX, "%s: %s", what,
		         amqp_error_string2(reply.library_error));
		return false;
	case AMQP_RESPONSE_SERVER_EXCEPTION:
		break;
	}
	say_end(&reply.reply, what, message);
	return false;
}

/*
 * Parse a URL. Copies it first, because librabbitmq modifies the string and `info` points into it;
 * the caller frees *copy.
 */
static bool parse_url(const char *url, char **copy, struct amqp_connection_info *info,
                      char message[BROKER_MESSAGE_MAX])
{
	*copy = strdup(url);
	if (*copy && amqp_parse_url(*copy, info) == AMQP_STATUS_OK)
		return true;
	snprintf(message, BROKER_MESSAGE_MAX, "%s",
	         *copy ? "not a URL such as amqp://USER:PASSWORD@HOST:5672" : "out of memory");
	free(*copy);
	return false;
}

bool broker_check_url(const char *url, char message[BROKER_MESSAGE_MAX])
{
	struct amqp_connection_info info;
	char *copy;

	if (!parse_url(url, &copy, &info, message))
		return false;
	free(copy);
	return true;
}

static amqp_socket_t *make_socket(struct link *link, const struct broker_options *options,
                                  bool is_encrypted, char message[BROKER_MESSAGE_MAX])
{
	const char *ca_file = options->ca_file ? options->ca_file : SYSTEM_CA_FILE;
	amqp_socket_t *socket;

	if (!is_encrypted) {
		socket = amqp_tcp_socket_new(link->state);
	} else {
		socket = amqp_ssl_socket_new(link->state);
		if (socket && amqp_ssl_socket_set_cacert(socket, ca_file) != AMQP_STATUS_OK) {
			snprintf(message, BROKER_MESSAGE_MAX, "%s: no certificates could be read",
			         ca_file);
			return NULL;
		}
		if (socket)
			amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST);
	}
	if (!socket)
		snprintf(message, BROKER_MESSAGE_MAX, "out of memory");
	return socket;
}

/*
 * Log in. RabbitMQ shows the connection name to operators. The capability connection.blocked makes
 * the broker report when it blocks senders.
 */
static bool log_in(struct link *link, const struct amqp_connection_info *info, unsigned heartbeat,
                   const char *what, char message[BROKER_MESSAGE_MAX])
{
	amqp_table_entry_t blocked = { amqp_cstring_bytes("connection.blocked"),
		                       { AMQP_FIELD_KIND_BOOLEAN, { .boolean = 1 } } };
	amqp_table_entry_t entries[2] = {
		{ amqp_cstring_bytes("capabilities"),
		  { AMQP_FIELD_KIND_TABLE, { .table = { 1, &blocked } } } },
		{ amqp_cstring_bytes("connection_name"),
		  { AMQP_FIELD_KIND_UTF8, { .bytes = amqp_cstring_bytes(what) } } },
	};
	const amqp_table_t properties = { 2, entries };

	return link_check(amqp_login_with_properties(
				  link->state, info->vhost, 0, BROKER_FRAME_MAX, (int)heartbeat,
				  &properties, AMQP_SASL_METHOD_PLAIN, info->user, info->password),
	                  "cannot log in", message);
}

static bool connect_link(struct link *link, const struct broker_options *options,
                         const struct amqp_connection_info *info, const char *what,
                         char message[BROKER_MESSAGE_MAX])
{
	amqp_socket_t *socket = make_socket(link, options, info->ssl, message);
	struct timeval time = step_time;

	if (!socket)
		return false;
	amqp_set_handshake_timeout(link->state, &step_time);
	amqp_set_rpc_timeout(link->state, &step_time);
	const int status = amqp_socket_open_noblock(socket, info->host, info->port, &time);
	if (status != AMQP_STATUS_OK) {
		snprintf(message, BROKER_MESSAGE_MAX, "cannot connect to %.200s:%d: %s", info->host,
		         info->port, amqp_error_string2(status));
		return false;
	}
	if (!log_in(link, info, options->heartbeat, what, message))
		return false;
	amqp_channel_open(link->state, LINK_CHANNEL);
	return link_check(amqp_get_rpc_reply(link->state), "cannot open a channel", message);
}

/*
 * Connect and log in. Operators see `what` in the connection name. Returns false and writes the
 * reason on failure. The caller must call link_close() in any case.
 */
static bool link_open(struct link *link, const struct broker_options *options, const char *what,
                      char message[BROKER_MESSAGE_MAX])
{
	struct amqp_connection_info info;
	char *copy;

	*link = (struct link){ .state = amqp_new_connection() };
	if (!link->state) {
		snprintf(message, BROKER_MESSAGE_MAX, "out of memory");
		return false;
	}
	if (!parse_url(options->url, &copy, &info, message))
		return false;
	const bool good = connect_link(link, options, &info, what, message);
	free(copy);
	return good;
}

static void link_close(struct link *link, bool politely)
{
	if (link->state && politely)
		amqp_connection_close(link->state, AMQP_REPLY_SUCCESS);
	if (link->state)
		amqp_destroy_connection(link->state);
	link->state = NULL;
	message_drop(&link->message);
}

/*
 * Read a frame if one has arrived, and set *got. Returns false and writes the reason if the
 * connection is lost.
 */
static bool link_next(struct link *link, amqp_frame_t *frame, bool *got,
                      char message[BROKER_MESSAGE_MAX])
{
	struct timeval none = { 0, 0 };

	amqp_maybe_release_buffers(link->state);
	const int status = amqp_simple_wait_frame_noblock(link->state, frame, &none);
	*got = status == AMQP_STATUS_OK;
	if (*got || status == AMQP_STATUS_TIMEOUT)
		return true;
	snprintf(message, BROKER_MESSAGE_MAX, "the connection has ended: %s",
	         amqp_error_string2(status));
	return false;
}

/*
 * Handle the AMQP methods that may arrive on both connections: close, and notifications that the
 * broker blocks or unblocks senders.
 */
static bool link_take_method(struct link *link, const amqp_method_t *method,
                             char message[BROKER_MESSAGE_MAX])
{
	switch (method->id) {
	case AMQP_CONNECTION_BLOCKED_METHOD:
	case AMQP_CONNECTION_UNBLOCKED_METHOD:
		link->is_blocked = method->id == AMQP_CONNECTION_BLOCKED_METHOD;
		return true;
	case AMQP_CHANNEL_CLOSE_METHOD:
	case AMQP_CONNECTION_CLOSE_METHOD:
		say_end(method, "the broker closed the connection", message);
		return false;
	case AMQP_BASIC_CANCEL_METHOD:
		snprintf(message, BROKER_MESSAGE_MAX, "the request queue is gone");
		return false;
	}
	return true;
}

/*
 * Declares quorum queues, which do not lose messages that they have confirmed. A delay queue moves
 * its messages to the next queue after a fixed time. A full queue rejects messages instead of
 * dropping old ones, so that messages are not lost while moving between queues either.
 */

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

/*
 * Prepare all queues. Returns false and writes the reason if a queue does not exist or has
 * different arguments. Sets *waiting to the number of messages in the first queue.
 */
static bool queues_prepare(struct link *link, const struct broker_options *options,
                           uint64_t *waiting, char message[BROKER_MESSAGE_MAX])
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
 * Open the sending connection and check its queues first, so that no request arrives before its
 * answer can be sent.
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
 * Describe a message that the broker has returned because its queue no longer exists, and return
 * false. The broker nevertheless confirms such a message, so the connection must end before the
 * confirmation arrives and is taken for success. Opening the connection again checks the queues.
 */
static bool take_return(const amqp_basic_return_t *returned, char message[BROKER_MESSAGE_MAX])
{
	const amqp_bytes_t key = returned->routing_key;

	snprintf(message, BROKER_MESSAGE_MAX, "queue '%.*s' no longer exists",
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

/* Read once from the socket, because poll() reports whether more data has arrived. */
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

bool broker_send(struct broker *broker, const struct broker_message *message, uint64_t *number)
{
	amqp_basic_properties_t properties;
	amqp_table_entry_t *entries;
	const amqp_bytes_t body = { message->body.size, (void *)message->body.data };
	const bool ready = origin_apply(message, &properties, &entries);
	const bool sent =
		ready && amqp_basic_publish(broker->sending.state, LINK_CHANNEL, amqp_empty_bytes,
	                                    amqp_cstring_bytes(message->queue), 1, 0, &properties,
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
