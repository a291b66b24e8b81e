/* SPDX-License-Identifier: MIT */
/*
 * Receives requests, passes them to the host's callback and sends the responses.
 *
 * The library calls handle_request() when a request's headers are complete, then for each piece of
 * its body, and once more at the end, always in the connection's thread.
 */
#define _GNU_SOURCE     /* strncasecmp() */
#define _DEFAULT_SOURCE /* madvise() */
#include "web.h"

#include "connections.h"
#include "listen.h"
#include "serve_site.h"

#include "base/memory.h"
#include "server/protocol/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Protects against DNS rebinding. If another site's host name resolves to this machine, that site's
 * pages send this name in the Host header. Such requests are refused, so that the pages cannot read
 * the service's data.
 */

static size_t measure_name(const char *host)
{
	const char *end = host[0] == '[' ? strchr(host, ']') : NULL;

	if (host[0] == '[')
		return end ? (size_t)(end + 1 - host) : 0;
	return strcspn(host, ":");
}

static bool is_port(const char *text)
{
	return *text == '\0' || (*text == ':' && text[1 + strspn(text + 1, "0123456789")] == '\0');
}

static bool is_name(const char *host, size_t size, const char *name)
{
	return strlen(name) == size && strncasecmp(host, name, size) == 0;
}

/* Return true for 127.x.y.z in digits, but not for "127.evil.example". */
static bool is_loopback_number(const char *host, size_t size)
{
	return size > 4 && strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") >= size;
}

/*
 * Return true if the Host header contains one of this machine's names or one of `names`, with or
 * without a port.
 */
static bool web_host_is_allowed(const char *host, const char *const *names, size_t count)
{
	const size_t size = measure_name(host);

	if (size == 0 || !is_port(host + size))
		return false;
	if (is_name(host, size, "localhost") || is_name(host, size, "[::1]") ||
	    is_loopback_number(host, size))
		return true;
	for (size_t i = 0; i < count; i++)
		if (is_name(host, size, names[i]))
			return true;
	return false;
}

static void add_headers(struct MHD_Response *response, const struct web_answer *answer)
{
	if (answer->type)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	if (answer->allow)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, answer->allow);
	if (answer->file_name)
		MHD_add_response_header(response, "X-DEBUGINFOD-FILE", answer->file_name);
	if (answer->ends_connection)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (answer->try_later)
		MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "2");
	if (answer->is_shared)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, "*");
	if (!answer->is_preflight)
		return;
	MHD_add_response_header(response, "Access-Control-Allow-Methods", "POST, OPTIONS");
	MHD_add_response_header(response, "Access-Control-Allow-Headers", "Content-Type");
	MHD_add_response_header(response, "Access-Control-Allow-Private-Network", "true");
	MHD_add_response_header(response, "Access-Control-Max-Age", "86400");
}

struct sent_body {
	char *bytes;
	uint64_t size, released;
	struct client_connection *client;
};

/* Release the memory that holds sent bytes, in whole pages. */
static void release_sent(struct sent_body *body, uint64_t sent)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)body->bytes;
	const uintptr_t begin = (at + body->released + page - 1) / page * page,
			end = (at + sent) / page * page;

	if (sent - body->released < 16 * WEB_PIECE || end <= begin)
		return;
	(void)madvise(body->bytes + (begin - at), end - begin, MADV_DONTNEED);
	body->released = sent;
	connections_keep(body->client, (size_t)(body->size - sent));
}

/* Copy the next piece of the body. The library requests each piece once, in order. */
static ssize_t give_piece(void *context, uint64_t at, char *to, size_t size)
{
	struct sent_body *body = context;
	const size_t left = (size_t)(body->size - at), piece = left < size ? left : size;

	release_sent(body, at);
	memcpy(to, body->bytes + at, piece);
	connections_count_moved(body->client, piece);
	return (ssize_t)piece;
}

static void free_body(void *context)
{
	struct sent_body *body = context;

	free(body->bytes);
	free(body);
}

static struct MHD_Response *respond_in_pieces(const struct web_answer *answer,
                                              struct client_connection *client)
{
	struct sent_body *body = malloc(sizeof(*body));
	struct MHD_Response *response = NULL;

	if (!body)
		return NULL;
	*body = (struct sent_body){ .bytes = answer->body, .size = answer->size, .client = client };
	response = MHD_create_response_from_callback(answer->size, WEB_PIECE, give_piece, body,
	                                             free_body);
	if (!response)
		free(body);
	return response;
}

/*
 * Create a response with its headers. Takes ownership of the answer's body or file even on failure.
 * Returns NULL if allocation fails. A large body is sent piece by piece, and each piece's memory is
 * released after sending.
 */
static struct MHD_Response *web_answer_response(struct web_answer *answer,
                                                struct client_connection *client)
{
	struct MHD_Response *response = NULL;
	struct stat about;

	if (answer->fd >= 0) {
		if (fstat(answer->fd, &about) == 0)
			response =
				MHD_create_response_from_fd64((uint64_t)about.st_size, answer->fd);
		if (!response)
			close(answer->fd);
	} else {
		response = answer->size > WEB_PIECE
		                   ? respond_in_pieces(answer, client)
		                   : MHD_create_response_from_buffer(answer->size, answer->body,
		                                                     MHD_RESPMEM_MUST_FREE);
		if (!response)
			free(answer->body);
	}
	if (response)
		add_headers(response, answer);
	return response;
}

struct web {
	struct MHD_Daemon *daemon;
	struct web_options options;
	struct listen_socket listener;
	struct connections visitors;
	struct serve_site store; /* initialized only if options.store is set */
	unsigned most;
};

struct exchange {
	struct web *web;
	struct web_request request;
	struct request_target target;
	uint8_t *body;
	size_t size, capacity, limit;
	/* reason for a refusal that is sent after the body; NULL unless the request is refused */
	const char *refusal;
	unsigned status;
	bool is_answered;
	bool is_http_1_0;
	bool is_of_store; /* serve_site_handle() handles the request; `store` is its state */
	void *store;
};

enum { DRAIN_MAX = 1 << 20 }; /* maximum number of bytes to read from a refused body */

static enum MHD_Result queue_answer(struct MHD_Connection *connection, struct exchange *exchange,
                                    struct web_answer *answer)
{
	struct client_connection *client = exchange->request.client;
	const bool is_file = answer->fd >= 0;

	connections_keep(client, answer->body ? answer->size : 0);
	struct MHD_Response *response = web_answer_response(answer, client);
	if (!response)
		return MHD_NO;
	const enum MHD_Result result = MHD_queue_response(connection, answer->status, response);
	MHD_destroy_response(response);
	exchange->is_answered = true;
	connections_enter_phase(client, is_file ? CONNECTION_ANSWER : CONNECTION_SENDING);
	return result;
}

static enum MHD_Result refuse_request(struct MHD_Connection *connection, struct exchange *exchange,
                                      unsigned status, const char *why)
{
	const struct web_options *options = &exchange->web->options;
	struct web_answer answer = { .status = status, .fd = -1 };

	options->refuse(options->context, &exchange->request, status, why, &answer);
	answer.try_later = status == MHD_HTTP_SERVICE_UNAVAILABLE;
	answer.ends_connection = status == MHD_HTTP_BAD_REQUEST;
	return queue_answer(connection, exchange, &answer);
}

/*
 * Check the host name, which browsers always send, to protect against DNS rebinding. HTTP/1.0 has
 * no Host header, and load balancers use it for health checks, so a missing header is accepted
 * here. If there are two headers, only the first is checked here; check_request() and
 * serve_site_handle() later reject the request, because headers_have_host() returns false.
 */
static bool is_host_allowed(struct MHD_Connection *connection, const struct exchange *exchange)
{
	const struct web_options *options = &exchange->web->options;
	const char *host = exchange->target.is_absolute
	                           ? exchange->target.host
	                           : headers_find(connection, MHD_HTTP_HEADER_HOST);

	return !options->listen || !host ||
	       web_host_is_allowed(host, options->hosts, options->host_count);
}

/*
 * Check a request's headers. Returns NULL if the request is accepted; otherwise returns the reason
 * and sets *status to the HTTP status. `framing` is an error that has been found earlier, or NULL.
 */
static const char *check_request(struct MHD_Connection *connection, struct exchange *exchange,
                                 const char *framing, unsigned *status)
{
	const struct web_options *options = &exchange->web->options;
	uint64_t size = 0;

	*status = MHD_HTTP_BAD_REQUEST;
	if (headers_count_lengths(connection) > 1)
		return "two Content-Length headers";
	if (framing)
		return framing;
	if (options->listen && !headers_have_host(connection, exchange->is_http_1_0))
		return "not exactly one Host header";
	*status = MHD_HTTP_FORBIDDEN;
	if (!is_host_allowed(connection, exchange))
		return "the requested host is another machine: --host allows names";
	exchange->limit =
		options->limit(options->context, exchange->request.method, exchange->request.path);
	*status = MHD_HTTP_CONTENT_TOO_LARGE;
	if (headers_read_body_size(connection, &size) && size > exchange->limit)
		return "the body is too large";
	return NULL;
}

/*
 * Return true if a refused request is answered without reading its body. Otherwise the body is read
 * first, because a client that is still sending may miss the response when the connection is
 * closed. A client that waits for "100 Continue" is not sending yet.
 */
static bool is_answered_at_once(struct MHD_Connection *connection, const char *framing)
{
	uint64_t size;

	return headers_find(connection, MHD_HTTP_HEADER_EXPECT) || framing ||
	       (headers_read_body_size(connection, &size) && size > DRAIN_MAX);
}

static void drop_body(struct exchange *exchange)
{
	free(exchange->body);
	exchange->body = NULL;
	exchange->size = exchange->capacity = 0;
}

/* Discard the body and remember the refusal, which is sent after the body. */
static void note_refusal(struct exchange *exchange, unsigned status, const char *why)
{
	exchange->status = status;
	exchange->refusal = why;
	exchange->limit = DRAIN_MAX;
	drop_body(exchange);
	connections_keep(exchange->request.client, 0);
}

static bool hold_bytes(const struct web_request *request, size_t size)
{
	return connections_hold(request->client, size);
}

static enum MHD_Result begin_exchange(struct MHD_Connection *connection, struct web *web,
                                      const char *target, const char *method, bool is_http_1_0,
                                      void **context)
{
	struct client_connection *visitor = visitors_find(connection);
	struct exchange *exchange = calloc(1, sizeof(*exchange));
	unsigned status;

	if (!exchange || !visitor) {
		free(exchange);
		return MHD_NO;
	}
	exchange->web = web;
	exchange->request.client = visitor;
	exchange->is_http_1_0 = is_http_1_0;
	exchange->target = target_split(target);
	exchange->request.hold = hold_bytes;
	exchange->request.method = method;
	exchange->request.path = exchange->target.path;
	exchange->request.type = headers_find(connection, MHD_HTTP_HEADER_CONTENT_TYPE);
	exchange->request.encoding = headers_find(connection, MHD_HTTP_HEADER_CONTENT_ENCODING);
	*context = exchange;
	exchange->is_of_store = web->options.store && serve_site_takes(exchange->request.path) &&
	                        is_host_allowed(connection, exchange);
	if (exchange->is_of_store)
		return MHD_YES;
	const char *framing = headers_find_framing_fault(connection, method);
	const char *why = check_request(connection, exchange, framing, &status);
	if (why && is_answered_at_once(connection, framing))
		return refuse_request(connection, exchange, status, why);
	if (why)
		note_refusal(exchange, status, why);
	connections_enter_phase(exchange->request.client, CONNECTION_BODY);
	return MHD_YES;
}

/* Receive a piece of the body. Returns false if the client continues to send a refused body. */
static bool receive_piece(struct exchange *exchange, const char *data, size_t size)
{
	connections_count_moved(exchange->request.client, size);
	if (exchange->is_answered)
		return true;
	if (exchange->refusal) {
		exchange->size += size;
		return exchange->size <= exchange->limit;
	}
	if (size > exchange->limit - exchange->size) {
		note_refusal(exchange, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large");
	} else if (!hold_bytes(&exchange->request, size) ||
	           !array_grow(&exchange->body, &exchange->capacity, exchange->size + size, 1)) {
		note_refusal(exchange, MHD_HTTP_SERVICE_UNAVAILABLE,
		             "too many concurrent requests; try again later");
	} else {
		memcpy(exchange->body + exchange->size, data, size);
		exchange->size += size;
	}
	return true;
}

static enum MHD_Result end_exchange(struct MHD_Connection *connection, struct exchange *exchange)
{
	const struct web_options *options = &exchange->web->options;
	struct web_answer answer = { .status = MHD_HTTP_INTERNAL_SERVER_ERROR, .fd = -1 };
	static const uint8_t nothing;

	if (exchange->is_answered)
		return MHD_YES;
	if (exchange->refusal)
		return refuse_request(connection, exchange, exchange->status, exchange->refusal);
	exchange->request.body =
		(struct cairn_bytes){ exchange->body ? exchange->body : &nothing, exchange->size };
	connections_enter_phase(exchange->request.client, CONNECTION_ANSWER);
	options->answer(options->context, &exchange->request, &answer);
	drop_body(exchange);
	return queue_answer(connection, exchange, &answer);
}

/*
 * Dispatch the library's calls for a request. If the request is for the store, all of these calls
 * are forwarded to serve_site_handle().
 */
static enum MHD_Result handle_request(void *context, struct MHD_Connection *connection,
                                      const char *target, const char *method, const char *version,
                                      const char *data, size_t *size, void **request)
{
	struct exchange *exchange = *request;
	struct web *web = context;

	if (!exchange) {
		const enum MHD_Result begun =
			begin_exchange(connection, web, target, method,
		                       strcmp(version, MHD_HTTP_VERSION_1_0) == 0, request);
		exchange = *request;
		if (begun != MHD_YES || !exchange->is_of_store)
			return begun;
	}
	if (exchange->is_of_store)
		return serve_site_handle(&web->store, connection, exchange->request.path, method,
		                         version, data, size, &exchange->store);
	if (*size == 0)
		return end_exchange(connection, exchange);
	const bool goes_on = receive_piece(exchange, data, *size);
	*size = 0;
	return goes_on ? MHD_YES : MHD_NO;
}

static void complete_request(void *context, struct MHD_Connection *connection,
                             void **request_context, enum MHD_RequestTerminationCode why)
{
	struct exchange *exchange = *request_context;

	(void)context;
	(void)connection;
	(void)why;
	if (!exchange)
		return;
	serve_site_complete(&exchange->store);
	connections_keep(exchange->request.client, 0);
	connections_enter_phase(exchange->request.client, CONNECTION_HEADERS);
	free(exchange->body);
	free(exchange);
	*request_context = NULL;
}

static bool start_daemon(struct web *web)
{
	/*
	 * Set the library's own limits to this multiple of ours. The library counts a disconnected
	 * client until the client's thread has noticed the disconnection.
	 */
	enum { SPARE = 2 };
	const unsigned flags = MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD |
	                       MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem more[] = {
		{ MHD_OPTION_LISTEN_SOCKET, web->listener.fd, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, SPARE * web->most, NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, WEB_HEADERS_MAX, NULL },
		{ MHD_OPTION_CONNECTION_TIMEOUT, WEB_TIMEOUT, NULL },
		{ MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)serve_unescape_path, NULL },
		{ MHD_OPTION_THREAD_STACK_SIZE, WEB_STACK, NULL },
		{ MHD_OPTION_END, 0, NULL },
	};

	web->daemon = MHD_start_daemon(flags, 0, NULL, NULL, handle_request, web,
	                               MHD_OPTION_EXTERNAL_LOGGER, visitors_answer_unreadable, NULL,
	                               MHD_OPTION_URI_LOG_CALLBACK, visitors_note_request, NULL,
	                               MHD_OPTION_NOTIFY_COMPLETED, complete_request, web,
	                               MHD_OPTION_NOTIFY_CONNECTION, visitors_track, &web->visitors,
	                               MHD_OPTION_ARRAY, more, MHD_OPTION_END);
	return web->daemon != NULL;
}

static bool open_listener(struct web *web, char message[WEB_MESSAGE_MAX])
{
	const struct web_options *options = &web->options;

	if (options->listen)
		return listen_open(options->listen, &web->listener, message, WEB_MESSAGE_MAX);
	web->listener.fd = listen_unix_open(options->unix_path, message, WEB_MESSAGE_MAX);
	snprintf(web->listener.address, sizeof(web->listener.address), "%s", options->unix_path);
	return web->listener.fd >= 0;
}

static void close_store(struct web *web)
{
	if (web->options.store)
		serve_site_close(&web->store);
}

static bool start_web(struct web *web, char message[WEB_MESSAGE_MAX])
{
	/*
	 * There is no limit per address, because all clients have the same address behind a proxy
	 * or at a Unix socket.
	 */
	const struct connection_capacity capacity = { .most = web->most,
		                                      .most_of_address = web->most,
		                                      .headers = WEB_TIMEOUT,
		                                      .rate = WEB_RATE_MIN,
		                                      .memory = WEB_MEMORY_MAX,
		                                      .memory_of_address = WEB_MEMORY_OF_ADDRESS };

	if (web->most == 0) {
		snprintf(message, WEB_MESSAGE_MAX, "%s", CONNECTIONS_TOO_FEW_DESCRIPTORS);
		return false;
	}
	if (connections_init(&web->visitors, &capacity) != 0)
		return false;
	if (!web->options.store || serve_site_open(&web->store, web->options.store, message)) {
		if (open_listener(web, message)) {
			if (start_daemon(web))
				return true;
			snprintf(message, WEB_MESSAGE_MAX, "cannot start: %s", strerror(errno));
			close(web->listener.fd);
		}
		close_store(web);
	}
	connections_finish(&web->visitors);
	return false;
}

bool web_start(const struct web_options *options, struct web **web, char message[WEB_MESSAGE_MAX])
{
	struct web *made = calloc(1, sizeof(*made));

	snprintf(message, WEB_MESSAGE_MAX, "out of memory");
	if (!made)
		return false;
	made->options = *options;
	made->most = connections_affordable(WEB_CONNECTIONS_MAX, options->descriptors);
	if (!start_web(made, message)) {
		free(made);
		return false;
	}
	*web = made;
	return true;
}

const struct listen_socket *web_listener(const struct web *web)
{
	return &web->listener;
}

uint64_t web_stored(const struct web *web)
{
	return web->options.store ? store_size(&web->store.store) : 0;
}

unsigned web_connections(struct web *web)
{
	struct connections *connections = &web->visitors;

	pthread_mutex_lock(&connections->mutex);
	const unsigned count = connections->count;
	pthread_mutex_unlock(&connections->mutex);
	return count;
}

void web_watch(struct web *web)
{
	const struct connection_limits limits = { WEB_TIMEOUT, WEB_TRANSFER, WEB_RATE_MIN };

	connections_drop_slow(&web->visitors, &limits);
}

void web_stop(struct web *web)
{
	if (web->options.unix_path)
		unlink(web->options.unix_path);
	visitors_end(&web->visitors, web->daemon, WEB_END_SECONDS);
	close_store(web);
	free(web);
}
