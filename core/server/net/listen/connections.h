/* SPDX-License-Identifier: MIT */
/*
 * Tracks connected clients and disconnects slow ones. The HTTP library detects a client that is
 * silent; this module detects a client that sends a byte now and then. The socket of a slow client
 * is shut down, so the thread that reads from it sees the end of the connection.
 */
#ifndef CAIRN_SERVER_NET_LISTEN_CONNECTIONS_H
#define CAIRN_SERVER_NET_LISTEN_CONNECTIONS_H

#include <pthread.h>
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

/* Add a connection. The caller owns `visitor`, which must stay valid until connections_remove(). */
void connections_add(struct connections *visitors, struct client_connection *visitor, int fd,
                     const uint8_t address[CONNECTION_ADDRESS]);
void connections_remove(struct client_connection *visitor);

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
 * Disconnect one client if there are too many after `newest` was added. Prefers clients that have
 * not sent a complete request, the oldest first, from the address with the most connections; then
 * bodies and answers that stayed below the rate for a tenth of `headers`; then answers that have
 * taken longer than `headers`. If all are busy, `newest` is disconnected.
 */
void connections_make_room(struct connections *visitors, struct client_connection *newest);

/* Return how many clients are sending a body or receiving an answer. */
unsigned connections_busy(struct connections *visitors);

#endif
