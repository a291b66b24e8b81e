/* SPDX-License-Identifier: MIT */
/*
 * A symbol server: accepts uploads into a store and serves its files. Does not support TLS, which
 * is left to a proxy. Only net/ uses <microhttpd.h>.
 *
 *	struct serve *server;
 *	if (!serve_start(&options, &server, message))
 *		return false;
 *	... serve_listener(server)->address
 *	while (!asked_to_end) {
 *		serve_watch(server);
 *		sleep(1);
 *	}
 *	serve_stop(server);
 *
 * The server answers in its own threads. `tell` is called in these threads, one at a time.
 */
#ifndef CAIRN_SERVER_NET_SERVE_H
#define CAIRN_SERVER_NET_SERVE_H

#include "server/net/listen.h"
#include "server/protocol/upload.h"

#include <cairn.h>

enum {
	SERVE_CONNECTIONS_MAX = 256,
	SERVE_STACK = 512 << 10, /* stack of a connection thread in bytes */
	SERVE_DESCRIPTORS = 16,  /* descriptors of the store and threads, besides connections */
	SERVE_HEADERS_MAX = 32 * 1024, /* bytes of a request line and its headers */
	SERVE_RATE_MIN = 1024,         /* minimum bytes per second of a body */
	SERVE_DRAIN_MAX = 1 << 20,     /* bytes of a refused body that are read */
	SERVE_END_SECONDS = 5,         /* grace period for uploads when the server stops */
	SERVE_MESSAGE_MAX = 256,
	SERVE_MAX_PART = 64 << 20, /* default limit of a part */
	SERVE_TIMEOUT = 30,
	SERVE_DEADLINE = 3600,
	/* default number of connections per address; behind a proxy all clients share one address */
	SERVE_CLIENT_MAX = 64,
};

/* A request that was answered or that failed. Strings from clients are not escaped. */
struct serve_event {
	unsigned status; /* 0: the connection was lost */
	const char *method, *path, *detail, *uuid;
	const struct upload *upload; /* NULL: not an upload */
	uint64_t size;
	const char *code;
};

struct serve_options {
	const char *listen; /* "127.0.0.1:8240", "[::1]:0"; port 0 selects a free one */
	const char *folder;
	const char *key; /* from upload_key(); NULL: uploads need no key */
	const char
		*read_key; /* key for downloads, for which `key` is valid too; NULL: none needed */
	uint64_t quota;    /* limit of the store in bytes; 0: unlimited */
	uint64_t max_part; /* bytes */
	unsigned timeout;  /* seconds of silence, and for the headers */
	unsigned deadline; /* seconds for a complete body, and for a complete answer */
	unsigned client_max; /* connections per address; at most SERVE_CONNECTIONS_MAX */
	void (*tell)(void *context, const struct serve_event *event);
	void *context;
};

struct serve;

/*
 * Start the server. Returns false, with the reason, if it cannot listen or the store is unusable.
 */
bool serve_start(const struct serve_options *options, struct serve **server,
                 char message[SERVE_MESSAGE_MAX]);

const struct listen_socket *serve_listener(const struct serve *server);

/* Return the bytes in the store as counted by its quota, or 0 without a quota. */
uint64_t serve_stored(const struct serve *server);

/* Disconnect slow clients. Call it about once a second. */
void serve_watch(struct serve *server);

/* Stop accepting requests, wait a few seconds for uploads that have begun, then stop. */
void serve_stop(struct serve *server);

#endif
