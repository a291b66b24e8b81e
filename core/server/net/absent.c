/* SPDX-License-Identifier: MIT */
/*
 * Replaces net/ in builds without the network libraries. All operations fail when they are started.
 */
#include "serve.h"
#include "transfer.h"
#include "web.h"

#include <stdio.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static const char why[] = "cairn was built without libcurl, libmicrohttpd and libzstd";

bool http_open(const struct http_options *options, struct http **http,
               char message[HTTP_MESSAGE_MAX])
{
	snprintf(message, HTTP_MESSAGE_MAX, "%s", why);
	return false;
}

void http_close(struct http *http)
{
}

bool http_is_unencrypted(const struct http *http)
{
	return false;
}

bool push_part(struct http *http, const struct upload *upload, struct cairn_bytes bytes,
               struct push_result *result)
{
	*result = (struct push_result){ .answered = false };
	return false;
}

bool fetch_symbols(struct http *http, const struct fileid *id, uint64_t size_max, const char *path,
                   struct fetch_result *result)
{
	*result = (struct fetch_result){ .status = CAIRN_UNSUPPORTED };
	return false;
}

bool serve_start(const struct serve_options *options, struct serve **server,
                 char message[SERVE_MESSAGE_MAX])
{
	snprintf(message, SERVE_MESSAGE_MAX, "%s", why);
	return false;
}

const struct listen_socket *serve_listener(const struct serve *server)
{
	return NULL;
}

uint64_t serve_stored(const struct serve *server)
{
	return 0;
}

void serve_watch(struct serve *server)
{
}

void serve_stop(struct serve *server)
{
}

bool listen_is_address(const char *where)
{
	return true;
}

bool web_start(const struct web_options *options, struct web **web, char message[WEB_MESSAGE_MAX])
{
	snprintf(message, WEB_MESSAGE_MAX, "%s", why);
	return false;
}

const struct listen_socket *web_listener(const struct web *web)
{
	return NULL;
}

uint64_t web_stored(const struct web *web)
{
	return 0;
}

void web_watch(struct web *web)
{
}

unsigned web_connections(struct web *web)
{
	return 0;
}

void web_stop(struct web *web)
{
}

bool http_send(struct http *http, struct http_request *request)
{
	return false;
}
