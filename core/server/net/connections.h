/* SPDX-License-Identifier: MIT */
/*
 * Tracks connected clients and disconnects slow ones. The HTTP library detects only silent clients;
 * this module also detects clients that send a byte now and then. It shuts down the client's
 * socket, so that the thread that reads from the socket gets an end-of-file.
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
	CONNECTION_HEADERS, /* the client is sending its request line and headers, or is idle */
	CONNECTION_BODY,
	/* the client is waiting for a response or receiving a file, so a delay is not its fault */
	CONNECTION_ANSWER,
	CONNECTION_SENDING, /* the client is receiving a response from memory */
};

/* size of an IPv6 address, or of an IPv4 address padded with zeros */
enum { CONNECTION_ADDRESS = 16 };

struct client_connection {
	struct connections *all;
	struct client_connection *next, *previous;
	int fd;
	uint8_t address[CONNECTION_ADDRESS];
	enum connection_phase phase;
	time_t since; /* time at which the current phase began (monotonic clock) */
	/* number of bytes of the body or response that have been transferred in this phase */
	uint64_t moved;
	size_t held;
	bool sent_away;
};

struct connection_capacity {
	unsigned most, most_of_address;
	unsigned headers; /* seconds allowed for the headers */
	uint64_t rate;    /* minimum rate of a body in bytes per second */
	/* memory limits in bytes, in total and per address */
	size_t memory, memory_of_address;
};

struct connections {
	pthread_mutex_t mutex;
	struct client_connection *first;
	unsigned count;
	size_t held;
	struct connection_capacity capacity;
};

/* Initialize `visitors`. Returns 0 or an errno value. */
int connections_init(struct connections *visitors, const struct connection_capacity *capacity);
void connections_finish(struct connections *visitors);

void connections_enter_phase(struct client_connection *visitor, enum connection_phase phase);
void connections_count_moved(struct client_connection *visitor, uint64_t bytes);

/*
 * Reserve memory for a request or its response. Returns false if all connections together, or the
 * connections from this address, would reserve too much. In this case, clients that do not read
 * their responses are disconnected, so that memory becomes available soon.
 */
bool connections_hold(struct client_connection *visitor, size_t bytes);

/* Release the connection's reserved memory beyond `most` bytes. */
void connections_keep(struct client_connection *visitor, size_t most);

/*
 * Return the number of connections, at most `wanted`, for which the process has enough descriptors
 * besides `spare` others; 0 if there are too few. This is necessary because the HTTP library
 * retries accept() in a busy loop when it runs out of descriptors.
 */
unsigned connections_affordable(unsigned wanted, unsigned spare);
#define CONNECTIONS_TOO_FEW_DESCRIPTORS "too few file descriptors are allowed: see 'ulimit -n'"

struct connection_limits {
	unsigned headers;  /* seconds allowed for the headers */
	unsigned transfer; /* seconds allowed for a complete body, and for a complete response */
	uint64_t rate;     /* minimum rate in bytes per second, enforced after `headers` seconds */
};

void connections_drop_slow(struct connections *visitors, const struct connection_limits *limits);

/*
 * Record the beginning and end of a connection. Pass this to the library as
 * MHD_OPTION_NOTIFY_CONNECTION, with a struct connections.
 */
void visitors_track(void *visitors, struct MHD_Connection *connection, void **visitor,
                    enum MHD_ConnectionNotificationCode what);

/* Read the client's address, padded with zeros. Returns its size: 4, 16, or 0 if unknown. */
size_t visitors_read_address(struct MHD_Connection *connection,
                             uint8_t address[CONNECTION_ADDRESS]);

/* Return a connection's record, or NULL if its allocation has failed. */
struct client_connection *visitors_find(struct MHD_Connection *connection);

/*
 * Answer a request that the library cannot parse, such as "Content-Length: -1". Before version
 * 0.9.76 the library's own response contains its headers twice. The library logs the error before
 * it responds, so these functions respond from the log callback, and the library's response comes
 * too late. Pass the two functions as MHD_OPTION_URI_LOG_CALLBACK and MHD_OPTION_EXTERNAL_LOGGER.
 * Requires one thread per connection.
 */
void *visitors_note_request(void *context, const char *target, struct MHD_Connection *connection);
void visitors_answer_unreadable(void *context, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/*
 * Stop accepting connections, wait at most `seconds` for requests that have begun, then stop the
 * server.
 */
void visitors_end(struct connections *visitors, struct MHD_Daemon *daemon, unsigned seconds);

const char *headers_find(struct MHD_Connection *connection, const char *name);

unsigned headers_count(struct MHD_Connection *connection, const char *name);

/*
 * Return true if there is exactly one Host header. RFC 9112, 3.2 requires it even if the request
 * target contains a host. HTTP/1.0 requests may omit it.
 */
bool headers_have_host(struct MHD_Connection *connection, bool is_http_1_0);

/*
 * Read Content-Length; the library has checked that it is a number. Returns false if the header is
 * absent.
 */
bool headers_read_body_size(struct MHD_Connection *connection, uint64_t *size);

/*
 * Return the number of Content-Length headers. If there are several, a proxy and this server could
 * use different ones.
 */
unsigned headers_count_lengths(struct MHD_Connection *connection);

/*
 * Return the reason why the headers do not define the end of the body (RFC 9112, 5.1 and 6.3), or
 * NULL. Repeated lengths are checked with headers_count_lengths() instead. A proxy might determine
 * a different end and treat the remaining bytes as another request, so the connection must be
 * closed. `method` is the pointer passed to the library's handler.
 */
const char *headers_find_framing_fault(struct MHD_Connection *connection, const char *method);

#endif
