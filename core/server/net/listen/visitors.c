/* SPDX-License-Identifier: MIT */
/* Keeps a record for each connection of the library. */
#include "visitors.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

size_t visitors_read_address(struct MHD_Connection *connection, uint8_t address[CONNECTION_ADDRESS])
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct sockaddr_in6 v6;
	struct sockaddr_in v4;

	memset(address, 0, CONNECTION_ADDRESS);
	if (info && info->client_addr && info->client_addr->sa_family == AF_INET) {
		memcpy(&v4, info->client_addr, sizeof(v4));
		memcpy(address, &v4.sin_addr, sizeof(v4.sin_addr));
		return sizeof(v4.sin_addr);
	}
	if (info && info->client_addr && info->client_addr->sa_family == AF_INET6) {
		memcpy(&v6, info->client_addr, sizeof(v6));
		memcpy(address, &v6.sin6_addr, sizeof(v6.sin6_addr));
		return sizeof(v6.sin6_addr);
	}
	return 0;
}

static void add_visitor(struct connections *visitors, struct MHD_Connection *connection,
                        struct client_connection *visitor, int fd)
{
	static const uint8_t v4_mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint8_t address[CONNECTION_ADDRESS];

	/*
	 * Count IPv6 clients by network, because a host may use any address of its network.
	 * IPv4-mapped addresses (::ffff:0:0/96) stay distinct.
	 */
	if (visitors_read_address(connection, address) == CONNECTION_ADDRESS &&
	    memcmp(address, v4_mapped, sizeof(v4_mapped)) != 0)
		memset(address + CONNECTION_ADDRESS / 2, 0, CONNECTION_ADDRESS / 2);
	connections_add(visitors, visitor, fd, address);
	connections_make_room(visitors, visitor);
}

void visitors_track(void *context, struct MHD_Connection *connection, void **visitor,
                    enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (what == MHD_CONNECTION_NOTIFY_STARTED && info) {
		*visitor = malloc(sizeof(struct client_connection));
		if (*visitor)
			add_visitor(context, connection, *visitor, info->connect_fd);
	} else if (what == MHD_CONNECTION_NOTIFY_CLOSED && *visitor) {
		connections_remove(*visitor);
		free(*visitor);
		*visitor = NULL;
	}
}

struct client_connection *visitors_find(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* The connection of this thread; each connection has its own thread. */
static _Thread_local struct client_connection *of_thread;

void *visitors_note_request(void *context, const char *target, struct MHD_Connection *connection)
{
	(void)context, (void)target;
	of_thread = visitors_find(connection);
	return NULL; /* the first call of the handler gets this value */
}

void visitors_answer_unreadable(void *context, const char *format, va_list arguments)
{
	static const char before[] = "Error processing request (HTTP response code is %u";
	static const char body[] =
		"{\"error\":\"the request is malformed, or its headers are too large\"}\n";
	char text[512];

	(void)context;
	if (!of_thread || strncmp(format, before, sizeof(before) - 1) != 0)
		return;
	const unsigned status = va_arg(arguments, unsigned);
	const int size =
		snprintf(text, sizeof(text),
	                 "HTTP/1.1 %u %s\r\nConnection: close\r\nContent-Type: "
	                 "application/json\r\nContent-Length: %zu\r\n\r\n%s",
	                 status, MHD_get_reason_phrase_for(status), sizeof(body) - 1, body);
	(void)send(of_thread->fd, text, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(of_thread->fd, SHUT_WR);
}

void visitors_end(struct connections *visitors, struct MHD_Daemon *daemon, unsigned seconds)
{
	enum { NAP = 20 * 1000 * 1000, NAPS_A_SECOND = 50 };
	const struct timespec nap = { 0, NAP };
	const int fd = MHD_quiesce_daemon(daemon);

	for (unsigned i = 0; i < seconds * NAPS_A_SECOND; i++) {
		if (connections_busy(visitors) == 0)
			break;
		nanosleep(&nap, NULL);
	}
	MHD_stop_daemon(daemon);
	if (fd >= 0)
		close(fd);
	connections_finish(visitors);
}
