/* SPDX-License-Identifier: MIT */
/*
 * HTTP for a service: a request comes whole, a function of the host answers it, the answer goes out whole. A thread for each
 * connection waits for its client, so that a slow client costs a thread and nobody else's time.
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
#ifndef CAIRN_SERVER_NET_WEB_WEB_H
#define CAIRN_SERVER_NET_WEB_WEB_H

#include "server/net/listen/listen.h"

#include <cairn.h>

enum {
	WEB_CONNECTIONS_MAX = 256,
	WEB_HEADERS_MAX = 32 * 1024, /* bytes of one request's line and headers */
	WEB_RATE_MIN = 1024, /* bytes a second of a body or an answer; slower ones are ended */
	WEB_MEMORY_MAX = 384 << 20,        /* bytes of all bodies and answers at a time */
	WEB_MEMORY_OF_ADDRESS = 192 << 20, /* bytes of those of one address */
	WEB_PIECE =
		64
		<< 10, /* bytes of a larger answer that are given to the HTTP library at a time */
	WEB_TIMEOUT = 30,     /* seconds that a client may be silent, or take for its headers */
	WEB_TRANSFER = 300,   /* seconds for a whole body, and for a whole answer */
	WEB_END_SECONDS = 20, /* that requests get when the service ends */
	WEB_MESSAGE_MAX = 256,
	WEB_STACK = 512 << 10, /* bytes, of a thread */
};

struct web_request {
	const char *method, *path;
	const char *type, *encoding; /* headers of its body; NULL: none */
	struct cairn_bytes body;
	/*
	 * Reserves memory for the answer; false: others hold too much. What is reserved beyond the answer's body is released when
	 * the answer is there.
	 */
	bool (*hold)(const struct web_request *request, size_t size);
	struct client_connection *client;
};

struct web_answer {
	unsigned status;
	const char *type;      /* of its body; NULL: it has none */
	const char *allow;     /* methods, for 405; NULL: none */
	const char *file_name; /* X-DEBUGINFOD-FILE; NULL: none */
	void *body;            /* of malloc(), which is freed; or NULL */
	size_t size;
	int fd;            /* a file in place of the body, which is closed; or -1 */
	bool is_shared;    /* pages of any origin may read it (CORS) */
	bool is_preflight; /* a page asks what it may send */
	bool try_later;    /* Retry-After */
	bool ends_connection;
};

struct serve_options;

struct web_options {
	const char *unix_path;    /* or */
	const char *listen;       /* "127.0.0.1:8250"; port 0: any that is free */
	const char *const *hosts; /* names that Host may have besides those of this machine */
	size_t host_count;
	unsigned descriptors; /* that the host needs at a time beside those of clients */
	const struct serve_options *store; /* its paths are answered from it; NULL: there is none */
	/* Bytes that a body may have; 0: none. The path is not checked otherwise. */
	size_t (*limit)(void *context, const char *method, const char *path);
	/* Many threads call it at a time. */
	void (*answer)(void *context, const struct web_request *request, struct web_answer *answer);
	/* The request was refused before it was whole, or its client is gone (status 0). */
	void (*refuse)(void *context, const struct web_request *request, unsigned status,
	               const char *why, struct web_answer *answer);
	void *context;
};

struct web;

/* False with words for people. To be called with one thread; `SIGPIPE` must be ignored. */
bool web_start(const struct web_options *options, struct web **web, char message[WEB_MESSAGE_MAX]);

/* Its address is the path of a socket of the local kind. */
const struct listen_socket *web_listener(const struct web *web);

/* Bytes that the store holds, as its quota counts them; 0 without one. */
uint64_t web_stored(const struct web *web);

/* Ends the connections of clients that are too slow; to be called about every second. */
void web_watch(struct web *web);

unsigned web_connections(struct web *web);

/* Takes no more, gives requests that have begun some seconds, then ends. */
void web_stop(struct web *web);

#endif
