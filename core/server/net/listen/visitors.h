/* SPDX-License-Identifier: MIT */
/*
 * The clients of a server of libmicrohttpd, who are counted, watched and given room as connections.h has it. The library is given
 * visitors_track() as MHD_OPTION_NOTIFY_CONNECTION.
 */
#ifndef CAIRN_SERVER_NET_LISTEN_VISITORS_H
#define CAIRN_SERVER_NET_LISTEN_VISITORS_H

#include "connections.h"

#include <microhttpd.h>

#include <stdarg.h>

/* The library calls it, with the struct connections, when a connection begins and when it ends. */
void visitors_track(void *visitors, struct MHD_Connection *connection, void **visitor,
                    enum MHD_ConnectionNotificationCode what);

/* The address of the client, and its size: 4, 16, or 0 if it is not known; what is behind it are zeros. */
size_t visitors_read_address(struct MHD_Connection *connection,
                             uint8_t address[CONNECTION_ADDRESS]);

/* NULL: memory was short when the connection began. */
struct client_connection *visitors_find(struct MHD_Connection *connection);

/*
 * Answer a request that the library cannot read, such as "Content-Length: -1". Before version 0.9.76 it sends the headers
 * of its own answer twice; it logs before it does, so the answer is sent from there, and its own comes too late. The pair
 * is MHD_OPTION_URI_LOG_CALLBACK and MHD_OPTION_EXTERNAL_LOGGER, and needs a thread for each connection.
 */
void *visitors_note_request(void *context, const char *target, struct MHD_Connection *connection);
void visitors_answer_unreadable(void *context, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* The server takes no more; requests that have begun get so many seconds; then it ends. */
void visitors_end(struct connections *visitors, struct MHD_Daemon *daemon, unsigned seconds);

#endif
