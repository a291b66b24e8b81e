/* SPDX-License-Identifier: MIT */
/*
 * An HTTP server for a service. It reads a request completely, calls the host (the program that
 * uses this server) to answer it, and sends the response. Each connection has its own thread, so a
 * slow client does not delay others.
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
	WEB_HEADERS_MAX = 32 * 1024, /* maximum size of a request line with its headers */
	WEB_RATE_MIN = 1024,         /* minimum rate of a body or a response in bytes per second */
	WEB_MEMORY_MAX = 384 << 20,  /* maximum total size of all bodies and responses */
	/* maximum total size of all bodies and responses for one client address */
	WEB_MEMORY_OF_ADDRESS = 192 << 20,
	/* size of the pieces in which a large response is passed to the HTTP library */
	WEB_PIECE = 64 << 10,
	WEB_TIMEOUT = 30,     /* seconds allowed without data, and for the headers */
	WEB_TRANSFER = 300,   /* seconds allowed for a complete body, and for a complete response */
	WEB_END_SECONDS = 20, /* seconds allowed for requests to finish when the service stops */
	WEB_MESSAGE_MAX = 256,
	WEB_STACK = 512 << 10,
};

struct web_request {
	const char *method, *path;
	const char *type, *encoding; /* Content-Type and Content-Encoding; NULL if absent */
	struct cairn_bytes body;
	/*
	 * Reserve memory for the response. Returns false if other requests hold too much memory.
	 * Memory reserved beyond the body's final size is released when the response is complete.
	 */
	bool (*hold)(const struct web_request *request, size_t size);
	struct client_connection *client;
};

struct web_answer {
	unsigned status;
	const char *type;      /* Content-Type header; NULL without a body */
	const char *allow;     /* Allow header for 405; may be NULL */
	const char *file_name; /* X-DEBUGINFOD-FILE header; may be NULL */
	void *body;            /* allocated with malloc() and freed after sending; may be NULL */
	size_t size;
	/* descriptor of a file to send instead of `body`; closed after sending; -1 if unused */
	int fd;
	bool is_shared; /* any web page may read the response (CORS) */
	bool is_preflight;
	bool try_later;
	bool ends_connection;
};

struct serve_options;

struct web_options {
	const char *unix_path;    /* path of a Unix socket to use instead of `listen` */
	const char *listen;       /* address such as "127.0.0.1:8250"; port 0 selects a free port */
	const char *const *hosts; /* accepted host names, in addition to this machine's names */
	size_t host_count;
	/* number of descriptors that the host needs, in addition to the clients' descriptors */
	unsigned descriptors;
	const struct serve_options *store; /* symbol store to serve as well; may be NULL */
	/*
	 * Return the maximum size of a body; 0 if the request must not have a body. The server
	 * accepts any path; answer() must reject unknown paths.
	 */
	size_t (*limit)(void *context, const char *method, const char *path);
	/* Answer a request. Called by several threads at once. */
	void (*answer)(void *context, const struct web_request *request, struct web_answer *answer);
	/*
	 * Answer a request that has been refused before it was complete. If `status` is 0, the
	 * client has disconnected, and the request is only reported.
	 */
	void (*refuse)(void *context, const struct web_request *request, unsigned status,
	               const char *why, struct web_answer *answer);
	void *context;
};

struct web;

/*
 * Start the server. Returns false and writes the reason on failure. The process must have only one
 * thread and ignore SIGPIPE.
 */
bool web_start(const struct web_options *options, struct web **web, char message[WEB_MESSAGE_MAX]);

/* Return the listening socket. Its address is a path for a Unix socket. */
const struct listen_socket *web_listener(const struct web *web);

/* Return the number of bytes that count against the store's quota, or 0 without a quota. */
uint64_t web_stored(const struct web *web);

void web_watch(struct web *web);

unsigned web_connections(struct web *web);

/*
 * Stop accepting requests, wait at most WEB_END_SECONDS for running requests, then stop the server.
 */
void web_stop(struct web *web);

#endif
