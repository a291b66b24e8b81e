/* SPDX-License-Identifier: MIT */
/*
 * The clients that are connected, so that those who are too slow can be sent away.  A client that
 * is silent is noticed by the HTTP library; one that sends a byte now and then is noticed here. The
 * connection is shut down, and whoever reads from it sees its end.
 */
#ifndef CAIRN_SERVER_NET_LISTEN_CONNECTIONS_H
#define CAIRN_SERVER_NET_LISTEN_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum connection_phase {
	CONNECTION_HEADERS, /* sends a request's line and headers, or nothing yet */
	CONNECTION_BODY,    /* sends a body */
	CONNECTION_ANSWER,  /* waits for an answer, or receives a file: not slow by its own fault */
	CONNECTION_SENDING, /* receives an answer from memory */
};

enum { CONNECTION_ADDRESS = 16 }; /* bytes: an address of IPv6, or one of IPv4 and zeros */

struct client_connection {
	struct connections *all; /* among which it is */
	struct client_connection *next, *previous;
	int fd;
	uint8_t address[CONNECTION_ADDRESS]; /* of the client */
	enum connection_phase phase;
	time_t since;   /* of the phase, of a clock that only goes on */
	uint64_t moved; /* bytes of the request's body, or of the answer, in this phase */
	size_t held;    /* bytes of memory that its request and answer take */
	bool sent_away;
};

struct connection_room {
	unsigned most, most_of_address;   /* connections at a time */
	unsigned headers;                 /* seconds until a request's headers are there */
	uint64_t rate;                    /* bytes a second of a body */
	size_t memory, memory_of_address; /* bytes that connections hold at a time */
};

struct connections {
	pthread_mutex_t mutex;
	struct client_connection *first;
	unsigned count;
	size_t held; /* by all of them */
	struct connection_room room;
};

/* 0, or an errno value. */
int connections_init(struct connections *visitors, const struct connection_room *room);
void connections_finish(struct connections *visitors);

/* `visitor` is the caller's, from here until it is taken off the list. */
void connections_add(struct connections *visitors, struct client_connection *visitor, int fd,
                     const uint8_t address[CONNECTION_ADDRESS]);
void connections_remove(struct client_connection *visitor);

void connections_enter_phase(struct client_connection *visitor, enum connection_phase phase);
void connections_count_moved(struct client_connection *visitor, uint64_t bytes);

/*
 * Reserve memory for a request or its answer. Returns false if all connections, or those of the same address, would hold too
 * much; clients that do not read their answers are shut down then, so that there is memory soon.
 */
bool connections_hold(struct client_connection *visitor, size_t bytes);

/* Release what the connection holds beyond `most` bytes. */
void connections_keep(struct client_connection *visitor, size_t most);

/*
 * Return how many connections this process can have, at most `wanted`, beside `spare` descriptors for other things; 0 if there are
 * too few. The HTTP library accepts in a busy loop while it gets no descriptor, so it must never come to that.
 */
unsigned connections_affordable(unsigned wanted, unsigned spare);
#define CONNECTIONS_TOO_FEW_DESCRIPTORS "too few file descriptors are allowed: see 'ulimit -n'"

struct connection_limits {
	unsigned headers;  /* seconds until a request's headers are there */
	unsigned transfer; /* seconds for a whole body, and for a whole answer */
	uint64_t rate;     /* bytes a second of a body or an answer, after `headers` seconds */
};

/* Shuts down who breaks one of them. */
void connections_drop_slow(struct connections *visitors, const struct connection_limits *limits);

/*
 * After `newest` was added: when there are more than may be, one of them is shut down. First those that have sent no
 * whole request, of the address that has the most, the oldest first; then bodies and answers below the rate for a tenth of
 * `headers`; then answers that have taken longer than `headers`. When all are busy it is `newest`.
 */
void connections_make_room(struct connections *visitors, struct client_connection *newest);

/* How many are sending a body, or being answered. */
unsigned connections_busy(struct connections *visitors);

#endif
