/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* struct timeval */
/*
 * Opens and closes a connection, and reads its frames one by one, so that an incomplete message
 * does not block.
 */
#include "link.h"

#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define SYSTEM_CA_FILE "/etc/ssl/certs/ca-certificates.crt"

static const struct timeval step_time = { BROKER_SECONDS, 0 };

static void say_text(const char *what, amqp_bytes_t text, char message[BROKER_MESSAGE_MAX])
{
	const size_t most = BROKER_MESSAGE_MAX / 2;

	snprintf(message, BROKER_MESSAGE_MAX, "%s: %.*s", what,
	         (int)(text.len < most ? text.len : most), (const char *)text.bytes);
}

/* Write the reason from the method with which the broker closed a channel or connection. */
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

bool link_check(amqp_rpc_reply_t reply, const char *what, char message[BROKER_MESSAGE_MAX])
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
 * Parse a URL. librabbitmq modifies the string, and `info` points into it; the caller frees *copy.
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
			snprintf(message, BROKER_MESSAGE_MAX,
			         "%s: no certificates can be read there", ca_file);
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
 * Log in. Operators see the connection name in RabbitMQ's list; the capability makes the broker
 * announce when it blocks senders.
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

bool link_open(struct link *link, const struct broker_options *options, const char *what,
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

void link_close(struct link *link, bool politely)
{
	if (link->state && politely)
		amqp_connection_close(link->state, AMQP_REPLY_SUCCESS);
	if (link->state)
		amqp_destroy_connection(link->state);
	link->state = NULL;
	message_drop(&link->message);
}

bool link_next(struct link *link, amqp_frame_t *frame, bool *got, char message[BROKER_MESSAGE_MAX])
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

bool link_take_method(struct link *link, const amqp_method_t *method,
                      char message[BROKER_MESSAGE_MAX])
{
	switch (method->id) {
	case AMQP_CONNECTION_BLOCKED_METHOD:
	case AMQP_CONNECTION_UNBLOCKED_METHOD:
		link->is_blocked = method->id == AMQP_CONNECTION_BLOCKED_METHOD;
		return true;
	case AMQP_CHANNEL_CLOSE_METHOD:
	case AMQP_CONNECTION_CLOSE_METHOD:
		say_end(method, "the broker ends the connection", message);
		return false;
	case AMQP_BASIC_CANCEL_METHOD:
		snprintf(message, BROKER_MESSAGE_MAX, "the queue of requests is gone");
		return false;
	}
	return true;
}
