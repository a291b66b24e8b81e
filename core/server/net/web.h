/* SPDX-License-Identifier: MIT */
/*
 * An HTTP server for a service. A request is read completely, a callback of the host answers it,
 * and the answer is sent. Each connection has a thread, so a slow client occupies a thread but does
 * not delay others.
 *
 *	struct web *web;
 *	if (!web_start(&options, &web, message))
 *		return false;
 *	... web_listener(web)->address
 *	while (!asked_to_end) {
 *		web_watch(web);
 *		sleep(1);
 *	}
 *	web_stop(web);
 */
#ifndef CAIRN_SERVER_NET_WEB_H
#define CAIRN_SERVER_NET_WEB_H

#include "server/net/connections.h"
#include "server/net/listen.h"

#include <cairn.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	WEB_CONNECTIONS_MAX = 256,
	WEB_HEADERS_MAX = 32 * 1024,       /* bytes of a request line and its headers */
	WEB_RATE_MIN = 1024,               /* minimum bytes per second of a body or an answer */
	WEB_MEMORY_MAX = 384 << 20,        /* bytes of all bodies and answers at a time */
	WEB_MEMORY_OF_ADDRESS = 192 << 20, /* bytes of bodies and answers of one address */
	WEB_PIECE = 64 << 10, /* bytes of a large answer given to the HTTP library at a time */
	WEB_TIMEOUT = 30,     /* seconds of silence, and for the headers */
	WEB_TRANSFER = 300,   /* seconds for a complete body, and for a complete answer */
	WEB_END_SECONDS = 20, /* grace period for requests when the service stops */
	WEB_MESSAGE_MAX = 256,
	WEB_STACK = 512 << 10, /* stack of a thread in bytes */
};

struct web_request {
	const char *method, *path;
	const char *type, *encoding; /* headers of the body; NULL if absent */
	struct cairn_bytes body;
	/*
	 * Reserve memory for the answer. Returns false if other requests hold too much. Memory
	 * reserved beyond the size of the body is released when the answer is complete.
	 */
	bool (*hold)(const struct web_request *request, size_t size);
	struct client_connection *client;
};

struct web_answer {
	unsigned status;
	const char *type;      /* Content-Type; NULL without a body */
	const char *allow;     /* Allow header for 405; may be NULL */
	const char *file_name; /* X-DEBUGINFOD-FILE header; may be NULL */
	void *body;            /* allocated with malloc(), freed after sending; may be NULL */
	size_t size;
	int fd;            /* file sent in place of the body, then closed; or -1 */
	bool is_shared;    /* readable by pages of any origin (CORS) */
	bool is_preflight; /* answers a CORS preflight request */
	bool try_later;
	bool ends_connection;
};

struct serve_options;

struct web_options {
	const char *unix_path;    /* alternative to `listen` */
	const char *listen;       /* "127.0.0.1:8250"; port 0 selects a free one */
	const char *const *hosts; /* accepted Host names besides this machine's names */
	size_t host_count;
	unsigned descriptors;              /* descriptors that the host needs besides clients */
	const struct serve_options *store; /* symbol store that is served as well; may be NULL */
	/*
	 * Return the maximum size of a body; 0 if none is allowed. The server does not check paths
	 * otherwise.
	 */
	size_t (*limit)(void *context, const char *method, const char *path);
	/* Answer a request. Called by many threads at once. */
	void (*answer)(void *context, const struct web_request *request, struct web_answer *answer);
	/*
	 * Answer a request that was refused before it was complete, or report that its client is
	 * gone (status 0).
	 */
	void (*refuse)(void *context, const struct web_request *request, unsigned status,
	               const char *why, struct web_answer *answer);
	void *context;
};

struct web;

/*
 * Start the server. Returns false with the reason. The process must have one thread and ignore
 * `SIGPIPE`.
 */
bool web_start(const struct web_options *options, struct web **web, char message[WEB_MESSAGE_MAX]);

/* Return the listening socket. For a Unix socket its address is the path. */
const struct listen_socket *web_listener(const struct web *web);

/* Return the bytes in the store as counted by its quota, or 0 without a quota. */
uint64_t web_stored(const struct web *web);

/* Disconnect slow clients. Call it about once a second. */
void web_watch(struct web *web);

unsigned web_connections(struct web *web);

/* Stop accepting requests, wait some seconds for requests that have begun, then stop. */
void web_stop(struct web *web);

#endif
