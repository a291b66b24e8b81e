/* SPDX-License-Identifier: MIT */
/*
 * The library calls handle_request() once when a request's headers are there, then for each piece of its
 * body, and once more at the end; an answer may be given in the first or the last of these calls.
 */
#include "serve_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_upload_method(const char *method)
{
	return strcmp(method, MHD_HTTP_METHOD_POST) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_PUT) == 0;
}

/* Decides by the headers. */
static const struct upload_refusal *check_headers(struct MHD_Connection *connection,
                                                  struct request *request)
{
	const struct serve_options *options = &request->server->options;
	struct upload_headers headers = { serve_find_header(connection, "FileID"),
		                          serve_find_header(connection, "FilePart"),
		                          serve_find_header(connection, "FileParts"),
		                          serve_find_header(connection,
		                                            MHD_HTTP_HEADER_AUTHORIZATION),
		                          serve_find_header(connection, "UploadID"),
		                          serve_count_lengths(connection) };
	uint64_t size = 0;

	if (!is_upload_method(request->method))
		return &upload_no_method;
	const struct upload_refusal *no = serve_check_headers(connection);
	if (!no)
		no = upload_check(request->path, &headers, options->key, &request->upload);
	if (no)
		return no;
	if (!request->upload.name[0] && request->upload.parts > 1)
		serve_name_by_sender(connection, &request->upload);
	if (!serve_read_body_size(connection, &size))
		return &upload_no_length;
	if (size <= options->max_part && store_has_room(&request->server->store, size))
		return NULL;
	if (size <= options->max_part)
		return store_refusal(EDQUOT, request->detail);
	snprintf(request->detail, sizeof(request->detail), "at most %llu bytes",
	         (unsigned long long)options->max_part);
	return &upload_too_large;
}

/*
 * A refused body that is small is read before the answer, because an answer to somebody who is
 * still sending may be lost with the connection.  Who waits for "100 Continue" is not sending.
 */
static bool is_answered_at_once(struct MHD_Connection *connection)
{
	uint64_t size;

	return serve_find_header(connection, MHD_HTTP_HEADER_EXPECT) ||
	       !serve_read_body_size(connection, &size) || size > SERVE_DRAIN_MAX;
}

static enum MHD_Result begin_upload(struct MHD_Connection *connection, struct request *request)
{
	request->refusal = check_headers(connection, request);
	if (!request->refusal) {
		int error = store_begin(&request->server->store, &request->file);
		if (error)
			request->refusal = store_refusal(error, request->detail);
	}
	request->accepted = !request->refusal;
	if (request->refusal && is_answered_at_once(connection))
		return serve_answer_upload(connection, request);
	connections_enter_phase(&request->server->visitors.connections, request->visitor,
	                        CONNECTION_BODY);
	return MHD_YES;
}

static enum MHD_Result begin_request(struct MHD_Connection *connection, struct serve *server,
                                     const char *path, const char *method, void **context)
{
	struct request *request = calloc(1, sizeof(*request));
	struct client_connection *visitor = visitors_find(connection);
	enum upload_kind kind;

	if (!request || !visitor) {
		free(request);
		return MHD_NO;
	}
	*request = (struct request){ .server = server,
		                     .visitor = visitor,
		                     .method = method,
		                     .path = path,
		                     .file = { .fd = -1 } };
	*context = request;
	request->is_upload = upload_path_kind(path, &kind) ||
	                     (is_upload_method(method) && strncmp(path, "/api/", 5) == 0);
	if (request->is_upload)
		return begin_upload(connection, request);
	if (serve_count_lengths(connection) < 2)
		return MHD_YES;
	request->refusal = &upload_two_lengths;
	return serve_answer_upload(connection, request);
}

/* A piece of the body.  A disk that is full does not end the connection, so that it can be reported. */
static enum MHD_Result receive_piece(struct request *request, const char *data, size_t size)
{
	request->received += size;
	connections_count_received(&request->server->visitors.connections, request->visitor, size);
	if (!request->accepted)
		return request->received > SERVE_DRAIN_MAX ? MHD_NO : MHD_YES;
	if (request->refusal)
		return MHD_YES;
	int error = os_durable_write(&request->file,
	                             (struct cairn_bytes){ (const uint8_t *)data, size });
	if (error) {
		request->refusal = store_refusal(error, request->detail);
		os_durable_abandon(&request->file);
	}
	return MHD_YES;
}

static enum MHD_Result end_request(struct MHD_Connection *connection, struct request *request)
{
	uint64_t size;

	if (!request->is_upload)
		return serve_answer_file(connection, request);
	connections_enter_phase(&request->server->visitors.connections, request->visitor,
	                        CONNECTION_ANSWER);
	if (!request->refusal &&
	    (!serve_read_body_size(connection, &size) || size != request->received))
		request->refusal = &upload_truncated;
	if (!request->refusal)
		request->refusal = store_accept(&request->server->store, &request->upload,
		                                &request->file, request->detail);
	os_durable_abandon(&request->file);
	return serve_answer_upload(connection, request);
}

static enum MHD_Result handle_request(void *server, struct MHD_Connection *connection,
                                      const char *path, const char *method, const char *version,
                                      const char *data, size_t *size, void **context)
{
	struct request *request = *context;

	(void)version;
	if (!request)
		return begin_request(connection, server, path, method, context);
	if (*size == 0)
		return end_request(connection, request);
	enum MHD_Result result = receive_piece(request, data, *size);
	*size = 0;
	return result;
}

static void complete_request(void *context, struct MHD_Connection *connection,
                             void **request_context, enum MHD_RequestTerminationCode why)
{
	struct request *request = *request_context;

	(void)context;
	(void)connection;
	(void)why;
	if (!request)
		return;
	if (!request->answered)
		serve_report_lost(request);
	os_durable_abandon(&request->file);
	connections_enter_phase(&request->server->visitors.connections, request->visitor,
	                        CONNECTION_HEADERS);
	free(request);
	*request_context = NULL;
}

/* A NUL would end the path, so that with one in it nothing is unescaped and no path fits. */
static size_t unescape_path(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context, (void)connection;
	return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

static bool start_daemon(struct serve *server)
{
	/* those that were sent away count until a thread has noticed */
	enum { SPARE = 2 };
	unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC;
	struct MHD_OptionItem more[] = {
		{ MHD_OPTION_LISTEN_SOCKET, server->listener.fd, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, SPARE * SERVE_CONNECTIONS_MAX, NULL },
		{ MHD_OPTION_PER_IP_CONNECTION_LIMIT, SPARE * server->options.client_max, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, SERVE_HEADERS_MAX, NULL },
		{ MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)server->options.timeout, NULL },
		{ MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)unescape_path, NULL },
		{ MHD_OPTION_THREAD_POOL_SIZE, SERVE_THREADS, NULL },
		{ MHD_OPTION_END, 0, NULL },
	};

	server->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, handle_request, server, MHD_OPTION_NOTIFY_COMPLETED,
		complete_request, server, MHD_OPTION_NOTIFY_CONNECTION, visitors_track,
		&server->visitors, MHD_OPTION_ARRAY, more, MHD_OPTION_END);
	return server->daemon != NULL;
}

/* What is begun here is undone by serve_stop(), in reverse. */
static bool start_server(struct serve *server, char message[SERVE_MESSAGE_MAX])
{
	int error = store_open(&server->store, server->options.folder, server->options.quota);

	if (error) {
		snprintf(message, SERVE_MESSAGE_MAX, "%s: %s", server->options.folder,
		         error == EAGAIN ? "another server uses this store" : strerror(error));
		return false;
	}
	const struct connection_room room = { SERVE_CONNECTIONS_MAX, server->options.client_max,
		                              server->options.timeout, SERVE_RATE_MIN };
	int failed = visitors_init(&server->visitors, &room) |
	             pthread_mutex_init(&server->telling, NULL);
	if (!failed && listen_open(server->options.listen, &server->listener, server->address,
	                           sizeof(server->address), message, SERVE_MESSAGE_MAX)) {
		if (start_daemon(server))
			return true;
		snprintf(message, SERVE_MESSAGE_MAX, "cannot start: %s", strerror(errno));
		close(server->listener.fd);
	}
	pthread_mutex_destroy(&server->telling);
	visitors_finish(&server->visitors);
	store_close(&server->store);
	return false;
}

bool serve_start(const struct serve_options *options, struct serve **server,
                 char message[SERVE_MESSAGE_MAX])
{
	struct serve *made = calloc(1, sizeof(*made));

	snprintf(message, SERVE_MESSAGE_MAX, "out of memory");
	if (!made)
		return false;
	made->options = *options;
	if (!start_server(made, message)) {
		free(made);
		return false;
	}
	*server = made;
	return true;
}

const char *serve_address(const struct serve *server)
{
	return server->address;
}

uint64_t serve_stored(const struct serve *server)
{
	return store_size(&server->store);
}

bool serve_is_public(const struct serve *server)
{
	return server->listener.is_public;
}

void serve_watch(struct serve *server)
{
	const struct connection_limits limits = { server->options.timeout, server->options.deadline,
		                                  SERVE_RATE_MIN };

	connections_drop_slow(&server->visitors.connections, &limits);
}

void serve_stop(struct serve *server)
{
	visitors_end(&server->visitors, server->daemon, SERVE_END_SECONDS);
	pthread_mutex_destroy(&server->telling);
	store_close(&server->store);
	free(server);
}
