/* SPDX-License-Identifier: MIT */
/*
 * The URL paths of a store in a libmicrohttpd server that may have others: uploads and downloads.
 * The server's request handler forwards calls for a path accepted by serve_site_takes(), with the
 * `context` of that request.
 */
#ifndef CAIRN_SERVER_NET_SERVE_SITE_H
#define CAIRN_SERVER_NET_SERVE_SITE_H

#include "server/net/connections.h"
#include "server/net/serve.h"
#include "server/net/store.h"

struct serve_site {
	struct serve_options options;
	struct store store;
	pthread_mutex_t telling;
};

/* Open the store. Returns false, with the reason, if it is unusable. */
bool serve_site_open(struct serve_site *site, const struct serve_options *options,
                     char message[SERVE_MESSAGE_MAX]);
void serve_site_close(struct serve_site *site);

bool serve_site_takes(const char *path);

/* Handle a request, like MHD_AccessHandlerCallback. */
enum MHD_Result serve_site_handle(struct serve_site *site, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *data, size_t *size, void **context);

/* Free the request at its end, whether it succeeded or not. */
void serve_site_complete(void **context);

/*
 * Decode a path, for MHD_OPTION_UNESCAPE_CALLBACK. A path with %00 stays encoded and so matches
 * nothing; a decoded NUL would truncate it.
 */
size_t serve_unescape_path(void *context, struct MHD_Connection *connection, char *text);

/* Internals of the store's site (serve*.c): one request in progress. */
enum { SERVE_UUID_SIZE = 37 };

struct request {
	struct serve_site *site;
	struct client_connection *visitor;
	const char *method, *path; /* borrowed from the library for the duration of the request */
	bool is_upload, accepted, answered;
	struct upload upload;
	const struct upload_refusal *refusal; /* NULL: not refused so far */
	struct os_durable file;
	uint64_t received;
	char detail[STORE_DETAIL_MAX];
};

/* A store's server, shared by its implementation and its fuzz target. */
struct serve {
	struct MHD_Daemon *daemon;
	struct serve_site site;
	struct listen_socket listener;
	struct connections visitors;
};

#endif
