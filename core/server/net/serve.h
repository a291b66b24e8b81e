/* SPDX-License-Identifier: MIT */
/*
 * A symbol server: accepts uploads into a store and serves the store's files. It does not support
 * TLS, which a reverse proxy can add. Only net/ uses <microhttpd.h>.
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
 * The server's threads call options.tell(), one at a time.
 */
#ifndef CAIRN_SERVER_NET_SERVE_H
#define CAIRN_SERVER_NET_SERVE_H

#include "server/net/listen.h"
#include "server/protocol/upload.h"

#include <cairn.h>

enum {
	SERVE_CONNECTIONS_MAX = 256,
	SERVE_STACK = 512 << 10,
	/* number of descriptors for the store and threads, in addition to connections */
	SERVE_DESCRIPTORS = 16,
	SERVE_HEADERS_MAX = 32 * 1024, /* maximum size of a request line with its headers */
	SERVE_RATE_MIN = 1024,         /* minimum rate of a body in bytes per second */
	SERVE_DRAIN_MAX = 1 << 20,     /* maximum number of bytes to read from a refused body */
	SERVE_END_SECONDS = 5, /* seconds allowed for uploads to finish when the server stops */
	SERVE_MESSAGE_MAX = 256,
	SERVE_MAX_PART = 64 << 20, /* default maximum size of a part in bytes */
	SERVE_TIMEOUT = 30,
	SERVE_DEADLINE = 3600,
	/*
	 * default maximum number of connections per address; behind a proxy all clients have the
	 * same address
	 */
	SERVE_CLIENT_MAX = 64,
};

/* A request that has been answered or has failed. Strings from clients are not escaped. */
struct serve_event {
	unsigned status; /* HTTP status; 0 if the connection has been lost */
	const char *method, *path, *detail, *uuid;
	const struct upload *upload; /* NULL if the request is not an upload */
	uint64_t size;
	const char *code;
};

struct serve_options {
	/* address such as "127.0.0.1:8240" or "[::1]:0"; port 0 selects a free port */
	const char *listen;
	const char *directory;
	const char *key; /* upload key from upload_key(); NULL allows uploads without a key */
	/* download key; `key` is accepted, too; NULL allows downloads without a key */
	const char *read_key;
	uint64_t quota; /* maximum size of the store in bytes; 0 disables the limit */
	uint64_t max_part;
	unsigned timeout;  /* seconds allowed without data, and for the headers */
	unsigned deadline; /* seconds allowed for a complete body, and for a complete response */
	/* maximum number of connections per address, up to SERVE_CONNECTIONS_MAX */
	unsigned client_max;
	void (*tell)(void *context, const struct serve_event *event);
	void *context;
};

struct serve;

bool serve_start(const struct serve_options *options, struct serve **server,
                 char message[SERVE_MESSAGE_MAX]);

const struct listen_socket *serve_listener(const struct serve *server);

/* Return the number of bytes that count against the quota, or 0 without a quota. */
uint64_t serve_stored(const struct serve *server);

/* Disconnect slow clients. Call this about once a second. */
void serve_watch(struct serve *server);

/* Stop accepting requests, wait a few seconds for running uploads, then stop the server. */
void serve_stop(struct serve *server);

#endif
