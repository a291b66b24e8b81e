/* SPDX-License-Identifier: MIT */
/* A server of one store. */
#include "serve_parts.h"

#include "server/protocol/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum MHD_Result handle_request(void *context, struct MHD_Connection *connection,
                                      const char *target, const char *method, const char *version,
                                      const char *data, size_t *size, void **request)
{
	struct serve *server = context;
	const struct request_target split = target_split(target);

	return serve_site_handle(&server->site, connection, split.path, method, version, data, size,
	                         request);
}

static void complete_request(void *context, struct MHD_Connection *connection, void **request,
                             enum MHD_RequestTerminationCode why)
{
	(void)context;
	(void)connection;
	(void)why;
	serve_site_complete(request);
}

static bool start_daemon(struct serve *server)
{
	/*
	 * Factor for libmicrohttpd's limits, because disconnected clients count until their threads
	 * notice.
	 */
	enum { SPARE = 2 };
	const unsigned flags = MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD |
	                       MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem more[] = {
		{ MHD_OPTION_LISTEN_SOCKET, server->listener.fd, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, SPARE * server->visitors.room.most, NULL },
		{ MHD_OPTION_PER_IP_CONNECTION_LIMIT, SPARE * server->site.options.client_max,
		  NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, SERVE_HEADERS_MAX, NULL },
		{ MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)server->site.options.timeout, NULL },
		{ MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)serve_unescape_path, NULL },
		{ MHD_OPTION_THREAD_STACK_SIZE, SERVE_STACK, NULL },
		{ MHD_OPTION_END, 0, NULL },
	};

	server->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, handle_request, server, MHD_OPTION_EXTERNAL_LOGGER,
		visitors_answer_unreadable, NULL, MHD_OPTION_URI_LOG_CALLBACK,
		visitors_note_request, NULL, MHD_OPTION_NOTIFY_COMPLETED, complete_request, server,
		MHD_OPTION_NOTIFY_CONNECTION, visitors_track, &server->visitors, MHD_OPTION_ARRAY,
		more, MHD_OPTION_END);
	return server->daemon != NULL;
}

/* Start all parts. serve_stop() stops them in reverse order. */
static bool start_server(struct serve *server, const struct serve_options *options,
                         char message[SERVE_MESSAGE_MAX])
{
	const unsigned most = connections_affordable(SERVE_CONNECTIONS_MAX, SERVE_DESCRIPTORS);
	const struct connection_room room = { .most = most,
		                              .most_of_address = options->client_max,
		                              .headers = options->timeout,
		                              .rate = SERVE_RATE_MIN };

	if (most == 0) {
		snprintf(message, SERVE_MESSAGE_MAX, "%s", CONNECTIONS_TOO_FEW_DESCRIPTORS);
		return false;
	}
	if (!serve_site_open(&server->site, options, message))
		return false;
	if (connections_init(&server->visitors, &room) != 0) {
		serve_site_close(&server->site);
		return false;
	}
	if (listen_open(options->listen, &server->listener, message, SERVE_MESSAGE_MAX)) {
		if (start_daemon(server))
			return true;
		snprintf(message, SERVE_MESSAGE_MAX, "cannot start: %s", strerror(errno));
		close(server->listener.fd);
	}
	connections_finish(&server->visitors);
	serve_site_close(&server->site);
	return false;
}

bool serve_start(const struct serve_options *options, struct serve **server,
                 char message[SERVE_MESSAGE_MAX])
{
	struct serve *made = calloc(1, sizeof(*made));

	snprintf(message, SERVE_MESSAGE_MAX, "out of memory");
	if (!made)
		return false;
	if (!start_server(made, options, message)) {
		free(made);
		return false;
	}
	*server = made;
	return true;
}

const struct listen_socket *serve_listener(const struct serve *server)
{
	return &server->listener;
}

uint64_t serve_stored(const struct serve *server)
{
	return store_size(&server->site.store);
}

void serve_watch(struct serve *server)
{
	const struct connection_limits limits = { server->site.options.timeout,
		                                  server->site.options.deadline, SERVE_RATE_MIN };

	connections_drop_slow(&server->visitors, &limits);
}

void serve_stop(struct serve *server)
{
	visitors_end(&server->visitors, server->daemon, SERVE_END_SECONDS);
	serve_site_close(&server->site);
	free(server);
}
