/* SPDX-License-Identifier: MIT */
/*
 * Handles a store's URL paths, uploads and downloads, in a libmicrohttpd server that may have other
 * paths. If serve_site_takes() accepts a path, the server's request handler forwards all calls for
 * that request, with the request's `context`.
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

bool serve_site_open(struct serve_site *site, const struct serve_options *options,
                     char message[SERVE_MESSAGE_MAX]);
void serve_site_close(struct serve_site *site);

bool serve_site_takes(const char *path);

/* Handle a request; has the parameters of MHD_AccessHandlerCallback. */
enum MHD_Result serve_site_handle(struct serve_site *site, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *data, size_t *size, void **context);

/* Free a request that has ended, successfully or not. */
void serve_site_complete(void **context);

/*
 * Decode a path for MHD_OPTION_UNESCAPE_CALLBACK. A path that contains %00 is not decoded, because
 * the NUL would truncate it; undecoded, it matches no file.
 */
size_t serve_unescape_path(void *context, struct MHD_Connection *connection, char *text);

/* State of a request in progress. Only serve*.c use it. */
enum { SERVE_UUID_SIZE = 37 };

struct request {
	struct serve_site *site;
	struct client_connection *visitor;
	const char *method, *path;
	bool is_upload, accepted, answered;
	struct upload upload;
	const struct upload_refusal *refusal;
	struct os_durable file;
	uint64_t received;
	char detail[STORE_DETAIL_MAX];
};

/* struct serve is defined in this header because the fuzz target also uses it. */
struct serve {
	struct MHD_Daemon *daemon;
	struct serve_site site;
	struct listen_socket listener;
	struct connections visitors;
};

#endif
