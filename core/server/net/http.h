/* SPDX-License-Identifier: MIT */
/*
 * An HTTP client that sends one request at a time to one server and retries failed attempts. Only
 * http.c uses <curl/curl.h>.
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
 * Redirects are not followed for requests with a body or an API key, so that neither reaches
 * another server, or if the request disables them.
 */
#ifndef CAIRN_SERVER_NET_HTTP_H
#define CAIRN_SERVER_NET_HTTP_H

#include <cairn.h>

/*
 * Environment variable with a file of trusted certificates that replaces the system's, as in
 * OpenSSL.
 */
#define HTTP_CERTIFICATES_VARIABLE "SSL_CERT_FILE"

enum {
	HTTP_MESSAGE_MAX = 256,
	HTTP_RETRIES = 5,          /* attempts after the first; the default */
	HTTP_BACKOFF = 500,        /* milliseconds before the first retry; doubled each time */
	HTTP_WAIT_MAX = 30 * 1000, /* milliseconds; also limits Retry-After */
	HTTP_CONNECT_SECONDS = 20,
	HTTP_SILENT_SECONDS =
		120, /* limit without a byte in either direction; servers may be slow to answer */
	HTTP_SECONDS = 60 * 60, /* default limit of a request with all its attempts */
	HTTP_REDIRECTS_MAX = 5,
	HTTP_HEADERS_MAX = 8,
	HTTP_TEXT_MAX = 64 * 1024, /* bytes of an answer that is kept in memory */
};

struct http_retry {
	const char *lost; /* NULL: the server answered with `status` */
	unsigned status;
	unsigned attempt, attempts; /* number of the next attempt, at least 2 */
	unsigned wait;              /* milliseconds */
};

struct http_options {
	const char *url; /* base URL; request paths are appended */
	const char *key; /* from upload_key(); sent with each request; may be NULL */
	unsigned retries, backoff;
	unsigned seconds; /* limit of a request with all its attempts; 0: HTTP_SECONDS */
	void (*retrying)(void *context, const struct http_retry *retry); /* may be NULL */
	void (*progress)(void *context, uint64_t sent, uint64_t received,
	                 uint64_t of); /* may be NULL */
	void *context;
};

struct http_header {
	const char *name, *value;
};

struct http_request {
	const char *path; /* begins with a slash: "/api/..." */
	struct http_header headers[HTTP_HEADERS_MAX];
	size_t header_count;
	bool post;
	bool stays;              /* return redirects as answers */
	struct cairn_bytes body; /* body of a POST; borrowed */

	/* Called before each attempt; returning false aborts the request. */
	bool (*begin)(void *context);
	/* Called with each piece of the answer's body; returning false aborts the request. */
	bool (*take)(void *context, unsigned status, struct cairn_bytes piece);
	void *context;

	unsigned status;
	bool stopped; /* aborted by begin() or take() */
	char lost[HTTP_MESSAGE_MAX];
};

/* The body of a short answer. */
struct http_text {
	size_t size;
	uint8_t bytes[HTTP_TEXT_MAX];
};

/*
 * begin() and take() for a request whose context is a struct http_text. A longer body aborts the
 * request.
 */
bool http_text_begin(void *text);
bool http_text_take(void *text, unsigned status, struct cairn_bytes piece);

struct http;

/*
 * Open a client. Returns false, with the reason, if the URL is invalid or has another scheme than
 * http and https.
 */
bool http_open(const struct http_options *options, struct http **http,
               char message[HTTP_MESSAGE_MAX]);
void http_close(struct http *http);

/* Send a request, with retries. Returns true if the server answered, with any status. */
bool http_send(struct http *http, struct http_request *request);

/* Return true if requests are sent unencrypted over a network. */
bool http_is_unencrypted(const struct http *http);

#endif
