/* SPDX-License-Identifier: MIT */
/*
 * The paths of a store, in a server of libmicrohttpd that may have others: uploads into it, and files out of it. The library's
 * function for requests hands on the calls for a path that the site takes, with `context` as it was for that request.
 */
#ifndef CAIRN_SERVER_NET_STORE_SERVE_SITE_H
#define CAIRN_SERVER_NET_STORE_SERVE_SITE_H

#include "serve.h"
#include "server/net/listen/visitors.h"
#include "store.h"

struct serve_site {
	struct serve_options options;
	struct store store;
	pthread_mutex_t telling;
};

/* False with words for people when the store cannot be used. */
bool serve_site_open(struct serve_site *site, const struct serve_options *options,
                     char message[SERVE_MESSAGE_MAX]);
void serve_site_close(struct serve_site *site);

/* Is it a path of a store? */
bool serve_site_takes(const char *path);

/* As MHD_AccessHandlerCallback. */
enum MHD_Result serve_site_handle(struct serve_site *site, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *data, size_t *size, void **context);

/* The request is over, whatever became of it. */
void serve_site_complete(void **context);

/* For MHD_OPTION_UNESCAPE_CALLBACK: a NUL would end the path, so that with one in it nothing is unescaped and no path fits. */
size_t serve_unescape_path(void *context, struct MHD_Connection *connection, char *text);

#endif
