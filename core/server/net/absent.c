/* SPDX-License-Identifier: MIT */
/* Replaces all of net/ in a build without its libraries: every operation fails at its start. */
#include "server/net/client/fetch.h"
#include "server/net/client/push.h"
#include "server/net/store/serve.h"
#include "server/net/web/web.h"

#include <stdio.h>

static const char why[] = "cairn was built without libcurl, libmicrohttpd and libzstd";

bool http_open(const struct http_options *options, struct http **http,
               char message[HTTP_MESSAGE_MAX])
{
	(void)options;
	(void)http;
	snprintf(message, HTTP_MESSAGE_MAX, "%s", why);
	return false;
}

void http_close(struct http *http)
{
	(void)http;
}

bool http_is_unencrypted(const struct http *http)
{
	(void)http;
	return false;
}

bool push_part(struct http *http, const struct upload *upload, struct cairn_bytes bytes,
               struct push_result *result)
{
	(void)http;
	(void)upload;
	(void)bytes;
	*result = (struct push_result){ .answered = false };
	return false;
}

bool fetch_symbols(struct http *http, const struct fileid *id, uint64_t size_max, const char *path,
                   struct fetch_result *result)
{
	(void)http;
	(void)id;
	(void)size_max;
	(void)path;
	*result = (struct fetch_result){ .status = CAIRN_UNSUPPORTED };
	return false;
}

bool serve_start(const struct serve_options *options, struct serve **server,
                 char message[SERVE_MESSAGE_MAX])
{
	(void)options;
	(void)server;
	snprintf(message, SERVE_MESSAGE_MAX, "%s", why);
	return false;
}

const char *serve_address(const struct serve *server)
{
	(void)server;
	return "";
}

uint64_t serve_stored(const struct serve *server)
{
	(void)server;
	return 0;
}

bool serve_is_public(const struct serve *server)
{
	(void)server;
	return false;
}

void serve_watch(struct serve *server)
{
	(void)server;
}

void serve_stop(struct serve *server)
{
	(void)server;
}

bool web_start(const struct web_options *options, struct web **web, char message[WEB_MESSAGE_MAX])
{
	(void)options;
	(void)web;
	snprintf(message, WEB_MESSAGE_MAX, "%s", why);
	return false;
}

const char *web_address(const struct web *web)
{
	(void)web;
	return "";
}

uint64_t web_stored(const struct web *web)
{
	(void)web;
	return 0;
}

bool web_is_public(const struct web *web)
{
	(void)web;
	return false;
}

void web_watch(struct web *web)
{
	(void)web;
}

unsigned web_connections(struct web *web)
{
	(void)web;
	return 0;
}

void web_stop(struct web *web)
{
	(void)web;
}

bool http_send(struct http *http, struct http_request *request)
{
	(void)http;
	(void)request;
	return false;
}
