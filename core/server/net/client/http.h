/* SPDX-License-Identifier: MIT */
/*
 * The client side of HTTP: one request after the other to one server, each tried again while that
 * makes sense.  All of <curl/curl.h> is after http.c.
 *
 *	struct http *http;
 *	if (!http_open(&options, &http, message))
 *		...
 *	struct http_request request = { .path = "/NH/b9/...", .take = take, .context = &mine };
 *	if (!http_send(http, &request))
 *		... request.lost is what happened to the connection
 *	... request.status is what the server answered
 *	http_close(http);
 *
 * Redirects are not followed when there is something to send or a key, so that this goes nowhere else, nor where the
 * request says so.
 */
#ifndef CAIRN_SERVER_NET_CLIENT_HTTP_H
#define CAIRN_SERVER_NET_CLIENT_HTTP_H

#include <cairn.h>

/* A file of the certificates that are trusted, in place of the system's; as OpenSSL calls it. */
#define HTTP_CERTIFICATES_VARIABLE "SSL_CERT_FILE"

enum {
	HTTP_MESSAGE_MAX = 256,
	HTTP_RETRIES = 5,   /* after the first attempt, unless an option sets another */
	HTTP_BACKOFF = 500, /* milliseconds before the first of them; each waits twice as long */
	HTTP_WAIT_MAX = 30 * 1000, /* milliseconds; a server may ask for that much, too */
	HTTP_CONNECT_SECONDS = 20,
	HTTP_SILENT_SECONDS =
		120, /* without a byte in either direction; servers may have to think */
	HTTP_SECONDS =
		60 * 60, /* for one request with all its attempts, unless an option sets another */
	HTTP_REDIRECTS_MAX = 5,
	HTTP_HEADERS_MAX = 8,
	HTTP_TEXT_MAX = 64 * 1024, /* bytes of an answer that is kept in memory */
};

/* An attempt failed and another one follows. */
struct http_retry {
	const char *lost; /* NULL: the server answered, with `status` */
	unsigned status;
	unsigned attempt, attempts; /* the one to come, from 2 on */
	unsigned wait;              /* milliseconds */
};

struct http_options {
	const char *url; /* of the server; what it ends with is where its paths begin */
	const char *key; /* as upload_key() made it, for all requests; NULL: none */
	unsigned retries, backoff;
	unsigned seconds; /* for one request with all its attempts; 0: HTTP_SECONDS */
	void (*retrying)(void *context, const struct http_retry *retry); /* or NULL */
	void (*progress)(void *context, uint64_t sent, uint64_t received,
	                 uint64_t of); /* or NULL */
	void *context;
};

struct http_header {
	const char *name, *value;
};

struct http_request {
	const char *path; /* "/api/..." */
	struct http_header headers[HTTP_HEADERS_MAX];
	size_t header_count;
	bool post;
	bool stays;              /* redirects are not followed: they are answers */
	struct cairn_bytes body; /* of a POST; lent */

	/* Called before each attempt; false ends it. */
	bool (*begin)(void *context);
	/* A piece of the answer's body; false ends it. */
	bool (*take)(void *context, unsigned status, struct cairn_bytes piece);
	void *context;

	unsigned status; /* of the last answer */
	bool stopped;    /* begin() or take() wanted it */
	char lost[HTTP_MESSAGE_MAX];
};

/* The body of an answer that is short. */
struct http_text {
	size_t size;
	uint8_t bytes[HTTP_TEXT_MAX];
};

/* begin() and take() of a request whose context is a struct http_text; one that is longer ends it. */
bool http_text_begin(void *text);
bool http_text_take(void *text, unsigned status, struct cairn_bytes piece);

struct http;

/* False with words when the URL is none, or not of http or https. */
bool http_open(const struct http_options *options, struct http **http,
               char message[HTTP_MESSAGE_MAX]);
void http_close(struct http *http);

/* True when a server answered in the end, whatever the answer. */
bool http_send(struct http *http, struct http_request *request);

/* Does what is sent go over a network that others may listen to? */
bool http_is_unencrypted(const struct http *http);

#endif
