/* SPDX-License-Identifier: MIT */
/*
 * Handles requests of a store. The library calls serve_site_handle() when the headers are complete,
 * then for each piece of the body, and once more at the end. The answer must be given in the first
 * or the last of these calls.
 */
#include "serve_site.h"

#include "serve_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPLOAD_PATHS "/api/"

static bool is_upload_method(const char *method)
{
	return strcmp(method, MHD_HTTP_METHOD_POST) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_PUT) == 0;
}

/* Return true if a header occurs twice; another server on the way may use the other one. */
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
	/* Unnamed parts belong to one upload if they come from the same host. */
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
 * Return true if a refused upload is answered before its body. Otherwise the body, if it is small,
 * is read first, because a client that is still sending may lose the answer with the connection. A
 * client that waits for "100 Continue" is not sending.
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
 * Store a piece of the body. A full disk does not end the connection, so that the error can be
 * reported.
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
	int error = store_open(&site->store, options->folder, options->quota);

	site->options = *options;
	if (error) {
		snprintf(message, SERVE_MESSAGE_MAX, "%s: %s", options->folder,
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
