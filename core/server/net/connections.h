/* SPDX-License-Identifier: MIT */
/*
 * Tracks connected clients and disconnects slow ones. The HTTP library detects a client that is
 * silent; this module detects a client that sends a byte now and then. The socket of a slow client
 * is shut down, so the thread that reads from it sees the end of the connection.
 */
#ifndef CAIRN_SERVER_NET_CONNECTIONS_H
#define CAIRN_SERVER_NET_CONNECTIONS_H

#include <cairn.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum connection_phase {
	CONNECTION_HEADERS, /* sending the request line and headers, or idle */
	CONNECTION_BODY,
	CONNECTION_ANSWER,  /* waiting for an answer or receiving a file; not the client's fault */
	CONNECTION_SENDING, /* receiving an answer from memory */
};

enum { CONNECTION_ADDRESS = 16 }; /* bytes: IPv6, or IPv4 padded with zeros */

struct client_connection {
	struct connections *all;
	struct client_connection *next, *previous;
	int fd;
	uint8_t address[CONNECTION_ADDRESS];
	enum connection_phase phase;
	time_t since;   /* start of the phase on the monotonic clock */
	uint64_t moved; /* bytes of the body or answer transferred in this phase */
	size_t held;
	bool sent_away;
};

struct connection_room {
	unsigned most, most_of_address;   /* maximum number of connections; per address */
	unsigned headers;                 /* seconds until the headers must be complete */
	uint64_t rate;                    /* minimum rate of a body in bytes per second */
	size_t memory, memory_of_address; /* bytes held by all connections; per address */
};

struct connections {
	pthread_mutex_t mutex;
	struct client_connection *first;
	unsigned count;
	size_t held;
	struct connection_room room;
};

/* Initialize the list. Returns 0 or an errno value. */
int connections_init(struct connections *visitors, const struct connection_room *room);
void connections_finish(struct connections *visitors);

void connections_enter_phase(struct client_connection *visitor, enum connection_phase phase);
void connections_count_moved(struct client_connection *visitor, uint64_t bytes);

/*
 * Reserve memory for a request or its answer. Returns false if all connections, or all connections
 * from this address, would hold too much. In that case clients that do not read their answers are
 * disconnected, so that memory becomes available soon.
 */
bool connections_hold(struct client_connection *visitor, size_t bytes);

/* Release the memory held by the connection beyond `most` bytes. */
void connections_keep(struct client_connection *visitor, size_t most);

/*
 * Return how many connections, at most `wanted`, the descriptor limit of this process allows
 * besides `spare` other descriptors; 0 if too few. The HTTP library retries accept() in a busy loop
 * when it runs out of descriptors, so this must never happen.
 */
unsigned connections_affordable(unsigned wanted, unsigned spare);
#define CONNECTIONS_TOO_FEW_DESCRIPTORS "too few file descriptors are allowed: see 'ulimit -n'"

struct connection_limits {
	unsigned headers;  /* seconds until the headers must be complete */
	unsigned transfer; /* seconds for a complete body, and for a complete answer */
	uint64_t rate;     /* minimum bytes per second, enforced after `headers` seconds */
};

/* Disconnect the clients that violate a limit. */
void connections_drop_slow(struct connections *visitors, const struct connection_limits *limits);

/*
 * Track the beginning and end of a connection. Called by the library with the struct connections;
 * pass it as MHD_OPTION_NOTIFY_CONNECTION.
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

/* Return the first header of that name, or NULL. */
const char *headers_find(struct MHD_Connection *connection, const char *name);

unsigned headers_count(struct MHD_Connection *connection, const char *name);

/*
 * Return true if there is exactly one Host header, which RFC 9112, 3.2 requires even if the target
 * has a host. HTTP/1.0 may omit it.
 */
bool headers_have_host(struct MHD_Connection *connection, bool is_http_1_0);

/*
 * Read Content-Length, which the library has checked to be a number. Returns false if it is absent.
 */
bool headers_read_body_size(struct MHD_Connection *connection, uint64_t *size);

/*
 * Return the number of Content-Length headers. Two servers on the way could each use another one.
 */
unsigned headers_count_lengths(struct MHD_Connection *connection);

/*
 * Return the reason why the headers do not define the end of the body (RFC 9112, 5.1 and 6.3), or
 * NULL. Repeated lengths are counted by headers_count_lengths(). A proxy might see another end and
 * take the rest for another request, so the connection must be closed. `method` is the pointer
 * passed to the library's handler.
 */
const char *headers_find_framing_fault(struct MHD_Connection *connection, const char *method);

#endif
