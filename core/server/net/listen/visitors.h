/* SPDX-License-Identifier: MIT */
/*
 * Connects libmicrohttpd to connections.h, which counts, monitors and limits clients. Pass
 * visitors_track() as MHD_OPTION_NOTIFY_CONNECTION.
 */
#ifndef CAIRN_SERVER_NET_LISTEN_VISITORS_H
#define CAIRN_SERVER_NET_LISTEN_VISITORS_H

#include "connections.h"

#include <microhttpd.h>

#include <stdarg.h>

/*
 * Track the beginning and end of a connection. Called by the library with the struct connections.
 */
void visitors_track(void *visitors, struct MHD_Connection *connection, void **visitor,
                    enum MHD_ConnectionNotificationCode what);

/* Read the client's address, padded with zeros. Returns its size: 4, 16, or 0 if unknown. */
size_t visitors_read_address(struct MHD_Connection *connection,
                             uint8_t address[CONNECTION_ADDRESS]);

/* Return the record of a connection, or NULL if memory was short when it began. */
struct client_connection *visitors_find(struct MHD_Connection *connection);

/*
 * Answer a request that the library cannot parse, such as "Content-Length: -1". Before version
 * 0.9.76 the library's own answer repeats its headers. It logs the error first, so this function
 * answers from the log callback, and the library's answer comes too late. Pass the two functions as
 * MHD_OPTION_URI_LOG_CALLBACK and MHD_OPTION_EXTERNAL_LOGGER. Requires one thread per connection.
 */
void *visitors_note_request(void *context, const char *target, struct MHD_Connection *connection);
void visitors_answer_unreadable(void *context, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/*
 * Stop accepting connections, wait up to `seconds` for requests that have begun, then stop the
 * server.
 */
void visitors_end(struct connections *visitors, struct MHD_Daemon *daemon, unsigned seconds);

#endif
