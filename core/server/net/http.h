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
 *		... request.lost describes the connection failure
 *	... request.status is the server's HTTP status
 *	http_close(http);
 *
 * Redirects are not followed if the request has a body or an API key, so that neither reaches
 * another server. A request can also disable redirects.
 */
#ifndef CAIRN_SERVER_NET_HTTP_H
#define CAIRN_SERVER_NET_HTTP_H

#include <cairn.h>

/*
 * Environment variable with the path of a CA certificate file that replaces the system's file, as
 * in OpenSSL.
 */
#define HTTP_CERTIFICATES_VARIABLE "SSL_CERT_FILE"

enum {
	HTTP_MESSAGE_MAX = 256,
	HTTP_RETRIES = 5,   /* default number of attempts after the first */
	HTTP_BACKOFF = 500, /* milliseconds before the first retry; doubled each time */
	/* maximum delay in milliseconds, which also limits Retry-After */
	HTTP_WAIT_MAX = 30 * 1000,
	HTTP_CONNECT_SECONDS = 20,
	/* idle timeout in seconds (no data received); long because servers may be slow to answer */
	HTTP_SILENT_SECONDS = 120,
	HTTP_SECONDS = 60 * 60,
	HTTP_REDIRECTS_MAX = 5,
	HTTP_HEADERS_MAX = 8,
	HTTP_TEXT_MAX = 64 * 1024, /* maximum size of a response body that is collected in memory */
};

struct http_retry {
	/* reason why the connection has been lost; NULL if the server has answered with `status` */
	const char *lost;
	unsigned status;
	/* number of the next attempt, at least 2, and maximum number of attempts */
	unsigned attempt, attempts;
	unsigned wait; /* delay in milliseconds */
};

struct http_options {
	const char *url; /* base URL, to which request paths are appended */
	const char *key; /* result of upload_key(), sent with each request; may be NULL */
	unsigned retries, backoff;
	/* time limit in seconds for a request with all its attempts; 0 selects HTTP_SECONDS */
	unsigned seconds;
	void (*retrying)(void *context, const struct http_retry *retry); /* may be NULL */
	void (*progress)(void *context, uint64_t sent, uint64_t received,
	                 uint64_t of); /* may be NULL */
	void *context;
};

struct http_header {
	const char *name, *value;
};

struct http_request {
	const char *path; /* path that begins with a slash */
	struct http_header headers[HTTP_HEADERS_MAX];
	size_t header_count;
	bool post;
	bool stays; /* do not follow redirects, but return them as responses */
	struct cairn_bytes body;

	/* Called before each attempt. Returning false aborts the request. */
	bool (*begin)(void *context);
	/* Called for each piece of the response body. Returning false aborts the request. */
	bool (*take)(void *context, unsigned status, struct cairn_bytes piece);
	void *context;

	unsigned status;
	bool stopped; /* begin() or take() has aborted the request */
	char lost[HTTP_MESSAGE_MAX];
};

/*
 * Memory for the body of a short response. http_text_begin() and http_text_take() are the callbacks
 * of a request whose context is this struct; a body that does not fit aborts the request.
 */
struct http_text {
	size_t size;
	uint8_t bytes[HTTP_TEXT_MAX];
};

bool http_text_begin(void *text);
bool http_text_take(void *text, unsigned status, struct cairn_bytes piece);

struct http;

/*
 * Open a client. Returns false and writes the reason if the URL is invalid or its scheme is neither
 * http nor https.
 */
bool http_open(const struct http_options *options, struct http **http,
               char message[HTTP_MESSAGE_MAX]);
void http_close(struct http *http);

/* Send a request, with retries. Returns true if the server answered with any status. */
bool http_send(struct http *http, struct http_request *request);

/* Return true if requests are sent over a network without encryption. */
bool http_is_unencrypted(const struct http *http);

#endif
