/* SPDX-License-Identifier: MIT */
/*
 * Serves one symbol store over HTTP. The HTTP server of a service also uses the handler for the
 * store's URL paths (serve_site.h).
 */
#include "serve_site.h"

#include "base/encoding.h"
#include "server/protocol/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Create a random UUID (version 4), which identifies a request in a user's report and in the log.
 */
static void make_uuid(char text[SERVE_UUID_SIZE])
{
	uint8_t b[16] = { 0 };
	char hex[2 * sizeof(b) + 1];
	const ssize_t got = getrandom(b, sizeof(b), 0);

	(void)got;
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	hex_encode((struct cairn_bytes){ b, sizeof(b) }, hex);
	snprintf(text, SERVE_UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%s", hex, hex + 8, hex + 12, hex + 16,
	         hex + 20);
}

static void report_request(struct request *request, const struct upload_answer *answer)
{
	const struct serve_options *options = &request->site->options;
	bool known = request->is_upload && (!request->refusal || request->received > 0);
	struct serve_event event = { .status = answer->status,
		                     .method = request->method,
		                     .path = request->path,
		                     .detail = request->detail,
		                     .uuid = answer->uuid,
		                     .code = answer->code,
		                     .upload = known ? &request->upload : NULL,
		                     .size = request->received };

	if (!options->tell)
		return;
	pthread_mutex_lock(&request->site->telling);
	options->tell(options->context, &event);
	pthread_mutex_unlock(&request->site->telling);
}

static void serve_report_lost(struct request *request)
{
	struct upload_answer none = { .status = 0 };

	report_request(request, &none);
}

static enum MHD_Result queue_response(struct MHD_Connection *connection, struct request *request,
                                      unsigned status, struct MHD_Response *response)
{
	if (!response)
		return MHD_NO;
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "APIKey");
	if (status == MHD_HTTP_NO_CONTENT)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
		                        "GET, HEAD, POST, PUT, OPTIONS");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
		                        request->is_upload ? "POST, PUT" : "GET, HEAD");
	if (request->refusal == &upload_unclear || request->refusal == &upload_two_lengths ||
	    request->refusal == &upload_no_host)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	enum MHD_Result result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	request->answered = true;
	connections_enter_phase(request->visitor, CONNECTION_ANSWER);
	return result;
}

static enum MHD_Result queue_json(struct MHD_Connection *connection, struct request *request,
                                  const struct upload_answer *answer)
{
	char text[4096];
	struct sink out = sink_open(text, sizeof(text));

	upload_answer_write(answer, &out);
	struct MHD_Response *response = MHD_create_response_from_buffer(
		sink_fits(&out) ? out.size : 0, text, MHD_RESPMEM_MUST_COPY);
	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
	report_request(request, answer);
	return queue_response(connection, request, answer->status, response);
}

static enum MHD_Result queue_refusal(struct MHD_Connection *connection, struct request *request)
{
	const struct upload_refusal *no = request->refusal;
	struct upload_answer answer = { .outcome = UPLOAD_FAILED, .status = no->status };
	bool detailed = request->detail[0] && no->status < 500;

	make_uuid(answer.uuid);
	snprintf(answer.code, sizeof(answer.code), "%s", no->code);
	/* report the server's disk errors only in its log */
	snprintf(answer.text, sizeof(answer.text), "%s%s%s", no->text, detailed ? ": " : "",
	         detailed ? request->detail : "");
	return queue_json(connection, request, &answer);
}

static enum MHD_Result serve_answer_upload(struct MHD_Connection *connection,
                                           struct request *request)
{
	struct upload_answer answer = { .outcome = UPLOAD_OK, .status = MHD_HTTP_OK };

	if (request->refusal)
		return queue_refusal(connection, request);
	return queue_json(connection, request, &answer);
}

static enum MHD_Result send_file(struct MHD_Connection *connection, struct request *request, int fd,
                                 const char *type)
{
	struct upload_answer answer = { .status = MHD_HTTP_OK };
	struct stat about;

	if (fstat(fd, &about) != 0) {
		close(fd);
		request->refusal = &upload_failed;
		return queue_refusal(connection, request);
	}
	struct MHD_Response *response = MHD_create_response_from_fd64((uint64_t)about.st_size, fd);
	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	else
		close(fd);
	report_request(request, &answer);
	return queue_response(connection, request, MHD_HTTP_OK, response);
}

/*
 * Check the read key and the write key. Always compare both, so that the response time does not
 * reveal which one matches.
 */
static bool may_read(struct MHD_Connection *connection, const struct serve_options *options)
{
	const char *sent = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
	                                               MHD_HTTP_HEADER_AUTHORIZATION);
	bool reads = upload_may_enter(sent, options->read_key);
	bool writes = options->key && upload_may_enter(sent, options->key);

	return reads || writes;
}

/* Answer `OPTIONS *`, which refers to the server as a whole (RFC 9110, 9.3.7). */
static enum MHD_Result answer_options(struct MHD_Connection *connection, struct request *request)
{
	const struct upload_answer answer = { .status = MHD_HTTP_NO_CONTENT };
	static char nothing;

	report_request(request, &answer);
	return queue_response(connection, request, answer.status,
	                      MHD_create_response_from_buffer(0, &nothing, MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result serve_answer_file(struct MHD_Connection *connection, struct request *request)
{
	struct fileid id;
	enum download_resource what;
	bool get = strcmp(request->method, MHD_HTTP_METHOD_GET) == 0 ||
	           strcmp(request->method, MHD_HTTP_METHOD_HEAD) == 0;
	enum cairn_status status = download_path_read(request->path, &id, &what);

	if (strcmp(request->path, "*") == 0 &&
	    strcmp(request->method, MHD_HTTP_METHOD_OPTIONS) == 0)
		return answer_options(connection, request);
	/* check the key before anything that depends on the store's contents */
	if (!may_read(connection, &request->site->options))
		request->refusal = &upload_no_key;
	else if (status == CAIRN_NOT_FOUND)
		request->refusal = &upload_no_path;
	else if (status != CAIRN_OK)
		request->refusal = &upload_no_id;
	else if (!get)
		request->refusal = &upload_no_method;
	if (request->refusal)
		return queue_refusal(connection, request);
	int fd = store_read(&request->site->store, &id, what);
	if (fd >= 0)
		return send_file(connection, request, fd,
		                 what == DOWNLOAD_METADATA ? "application/json"
		                                           : "application/octet-stream");
	request->refusal = &upload_no_path;
	return queue_refusal(connection, request);
}

/*
 * Handles requests for a store. The library calls serve_site_handle() when the headers are
 * complete, then for each piece of the body, and once more at the end. The response must be queued
 * in the first or the last of these calls.
 */

#define UPLOAD_PATHS "/api/"

static bool is_upload_method(const char *method)
{
	return strcmp(method, MHD_HTTP_METHOD_POST) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_PUT) == 0;
}

/*
 * Return true if a header occurs twice. Such a request is refused, because a proxy may have checked
 * the other occurrence.
 */
static bool has_repeated_header(struct MHD_Connection *connection)
{
	static const char *const names[] = { "FileID", "FilePart", "FileParts", "UploadID",
		                             MHD_HTTP_HEADER_AUTHORIZATION };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (headers_count(connection, names[i]) > 1)
			return true;
	return false;
}

static const struct upload_refusal *check_headers(struct MHD_Connection *connection,
                                                  struct request *request)
{
	const struct serve_options *options = &request->site->options;
	struct upload_headers headers = { headers_find(connection, "FileID"),
		                          headers_find(connection, "FilePart"),
		                          headers_find(connection, "FileParts"),
		                          headers_find(connection, MHD_HTTP_HEADER_AUTHORIZATION),
		                          headers_find(connection, "UploadID"),
		                          headers_count_lengths(connection) };
	uint8_t address[CONNECTION_ADDRESS];
	uint64_t size = 0;

	if (!is_upload_method(request->method))
		return &upload_no_method;
	if (has_repeated_header(connection))
		return &upload_repeated;
	const struct upload_refusal *no =
		upload_check(request->path, &headers, options->key, &request->upload);
	if (no)
		return no;
	/* assign parts without an upload name to the same upload if they come from the same host */
	const size_t address_size = visitors_read_address(connection, address);
	if (!request->upload.name[0] && request->upload.parts > 1 && address_size > 0)
		upload_set_sender(&request->upload, (struct cairn_bytes){ address, address_size });
	if (!headers_read_body_size(connection, &size))
		return &upload_no_length;
	if (size <= options->max_part &&
	    os_quota_has(&request->site->store.quota, os_quota_blocks(size)))
		return NULL;
	if (size <= options->max_part)
		return store_refusal(EDQUOT, request->detail);
	snprintf(request->detail, sizeof(request->detail), "at most %llu bytes",
	         (unsigned long long)options->max_part);
	return &upload_too_large;
}

/*
 * Return true if a refused upload is answered without reading its body. Otherwise a small body is
 * read first, because a client that is still sending may miss the response when the connection is
 * closed. A client that waits for "100 Continue" is not sending yet.
 */
static bool is_answered_at_once(struct MHD_Connection *connection)
{
	uint64_t size;

	return headers_find(connection, MHD_HTTP_HEADER_EXPECT) ||
	       !headers_read_body_size(connection, &size) || size > SERVE_DRAIN_MAX;
}

static enum MHD_Result begin_upload(struct MHD_Connection *connection, struct request *request)
{
	request->refusal = check_headers(connection, request);
	if (!request->refusal) {
		int error = store_begin(&request->site->store, &request->file);
		if (error)
			request->refusal = store_refusal(error, request->detail);
	}
	request->accepted = !request->refusal;
	if (request->refusal && is_answered_at_once(connection))
		return serve_answer_upload(connection, request);
	connections_enter_phase(request->visitor, CONNECTION_BODY);
	return MHD_YES;
}

static bool is_upload_path(const char *path, const char *method)
{
	enum upload_kind kind;

	return upload_path_kind(path, &kind) ||
	       (is_upload_method(method) && strncmp(path, UPLOAD_PATHS, strlen(UPLOAD_PATHS)) == 0);
}

bool serve_site_takes(const char *path)
{
	enum download_resource what;
	struct fileid id;

	return strncmp(path, UPLOAD_PATHS, strlen(UPLOAD_PATHS)) == 0 ||
	       download_path_read(path, &id, &what) != CAIRN_NOT_FOUND;
}

static enum MHD_Result begin_request(struct MHD_Connection *connection, struct serve_site *site,
                                     const char *path, const char *method, bool is_http_1_0,
                                     void **context)
{
	struct request *request = calloc(1, sizeof(*request));
	struct client_connection *visitor = visitors_find(connection);

	if (!request || !visitor) {
		free(request);
		return MHD_NO;
	}
	*request = (struct request){ .site = site,
		                     .visitor = visitor,
		                     .method = method,
		                     .path = path,
		                     .file = { .fd = -1 } };
	*context = request;
	request->is_upload = is_upload_path(path, method);
	const char *fault = headers_find_framing_fault(connection, method);
	if (fault)
		request->refusal = &upload_unclear;
	else if (!headers_have_host(connection, is_http_1_0))
		request->refusal = &upload_no_host;
	else if (request->is_upload)
		return begin_upload(connection, request);
	else if (headers_count_lengths(connection) > 1)
		request->refusal = &upload_two_lengths;
	else
		return MHD_YES;
	snprintf(request->detail, sizeof(request->detail), "%s", fault ? fault : "");
	return serve_answer_upload(connection, request);
}

/*
 * Store a piece of the body. If the disk is full, keep the connection open, so that the error can
 * be reported.
 */
static enum MHD_Result receive_piece(struct request *request, const char *data, size_t size)
{
	request->received += size;
	connections_count_moved(request->visitor, size);
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
	connections_enter_phase(request->visitor, CONNECTION_ANSWER);
	if (!request->refusal &&
	    (!headers_read_body_size(connection, &size) || size != request->received))
		request->refusal = &upload_truncated;
	if (!request->refusal)
		request->refusal = store_accept(&request->site->store, &request->upload,
		                                &request->file, request->detail);
	os_durable_abandon(&request->file);
	return serve_answer_upload(connection, request);
}

enum MHD_Result serve_site_handle(struct serve_site *site, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *data, size_t *size, void **context)
{
	struct request *request = *context;

	if (!request)
		return begin_request(connection, site, path, method,
		                     strcmp(version, MHD_HTTP_VERSION_1_0) == 0, context);
	if (*size == 0)
		return end_request(connection, request);
	const enum MHD_Result result = receive_piece(request, data, *size);
	*size = 0;
	return result;
}

void serve_site_complete(void **context)
{
	struct request *request = *context;

	if (!request)
		return;
	if (!request->answered)
		serve_report_lost(request);
	os_durable_abandon(&request->file);
	connections_enter_phase(request->visitor, CONNECTION_HEADERS);
	free(request);
	*context = NULL;
}

size_t serve_unescape_path(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context, (void)connection;
	return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

bool serve_site_open(struct serve_site *site, const struct serve_options *options,
                     char message[SERVE_MESSAGE_MAX])
{
	int error = store_open(&site->store, options->directory, options->quota);

	site->options = *options;
	if (error) {
		snprintf(message, SERVE_MESSAGE_MAX, "%s: %s", options->directory,
		         error == EAGAIN ? "another server uses this store" : strerror(error));
		return false;
	}
	if (pthread_mutex_init(&site->telling, NULL) == 0)
		return true;
	snprintf(message, SERVE_MESSAGE_MAX, "out of memory");
	store_close(&site->store);
	return false;
}

void serve_site_close(struct serve_site *site)
{
	pthread_mutex_destroy(&site->telling);
	store_close(&site->store);
}

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
	 * Set libmicrohttpd's own limits to this multiple of ours. The library counts a
	 * disconnected client until the client's thread has noticed the disconnection.
	 */
	enum { SPARE = 2 };
	const unsigned flags = MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD |
	                       MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem more[] = {
		{ MHD_OPTION_LISTEN_SOCKET, server->listener.fd, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, SPARE * server->visitors.capacity.most, NULL },
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

static bool start_server(struct serve *server, const struct serve_options *options,
                         char message[SERVE_MESSAGE_MAX])
{
	const unsigned most = connections_affordable(SERVE_CONNECTIONS_MAX, SERVE_DESCRIPTORS);
	const struct connection_capacity capacity = { .most = most,
		                                      .most_of_address = options->client_max,
		                                      .headers = options->timeout,
		                                      .rate = SERVE_RATE_MIN };

	if (most == 0) {
		snprintf(message, SERVE_MESSAGE_MAX, "%s", CONNECTIONS_TOO_FEW_DESCRIPTORS);
		return false;
	}
	if (!serve_site_open(&server->site, options, message))
		return false;
	if (connections_init(&server->visitors, &capacity) != 0) {
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
