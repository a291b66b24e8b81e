/* SPDX-License-Identifier: MIT */
/*
 * A symbol server: takes uploads into a store, and hands out what is in it.  All of
 * <microhttpd.h> is after this.  No TLS: that is for a proxy in front.
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
 * Threads of its own answer; `tell` is called in them, by one at a time.
 */
#ifndef CAIRN_SERVER_NET_STORE_SERVE_H
#define CAIRN_SERVER_NET_STORE_SERVE_H

#include <cairn.h>

#include "server/net/listen/listen.h"
#include "server/protocol/upload.h"

enum {
	SERVE_CONNECTIONS_MAX = 256,
	SERVE_STACK = 512 << 10, /* bytes, of the thread of a connection */
	SERVE_DESCRIPTORS = 16,  /* of the store and the threads, besides those of connections */
	SERVE_HEADERS_MAX = 32 * 1024, /* bytes of one request's line and headers */
	SERVE_RATE_MIN = 1024,         /* bytes a second of a body; slower ones are ended */
	SERVE_DRAIN_MAX = 1 << 20,     /* bytes of a refused body that are read nevertheless */
	SERVE_END_SECONDS = 5,         /* that uploads get when the server ends */
	SERVE_MESSAGE_MAX = 256,
	SERVE_MAX_PART = 64 << 20, /* unless an option sets another */
	SERVE_TIMEOUT = 30,
	SERVE_DEADLINE = 3600,
	SERVE_CLIENT_MAX = 64, /* behind a proxy all clients are one */
};

/* One request that was answered, or that came to nothing.  Texts from outside are not escaped. */
struct serve_event {
	unsigned status; /* 0: the connection was lost */
	const char *method, *path, *detail, *uuid;
	const struct upload *upload; /* NULL: none */
	uint64_t size;
	const char *code;
};

struct serve_options {
	const char *listen; /* "127.0.0.1:8240", "[::1]:0"; port 0: any that is free */
	const char *folder;
	const char *key; /* as upload_key() made it; NULL: nobody is asked for one */
	const char *
		read_key; /* of who fetches, where the other key serves, too; NULL: nobody is asked */
	uint64_t quota;   /* bytes of the whole store; 0: as many as the disk has */
	uint64_t max_part;   /* bytes */
	unsigned timeout;    /* seconds that a client may be silent, or take for its headers */
	unsigned deadline;   /* seconds for a whole body, and for a whole answer */
	unsigned client_max; /* connections from one address; at most SERVE_CONNECTIONS_MAX */
	void (*tell)(void *context, const struct serve_event *event);
	void *context;
};

struct serve;

/* False with words for people when it cannot listen, or the store cannot be used. */
bool serve_start(const struct serve_options *options, struct serve **server,
                 char message[SERVE_MESSAGE_MAX]);

const struct listen_socket *serve_listener(const struct serve *server);

/* How many bytes the store holds, as a quota counts them; 0 without one. */
uint64_t serve_stored(const struct serve *server);

/* Ends the connections of clients that are too slow; to be called about every second. */
void serve_watch(struct serve *server);

/* Takes no more, gives uploads that have begun a few seconds, then ends. */
void serve_stop(struct serve *server);

#endif
