/* SPDX-License-Identifier: MIT */
/* Sends the responses of a symbol server and reports requests for the log. */
#include "serve_request.h"

#include "base/encoding.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Create a random UUID (version 4), which connects a user's report with the log. */
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

void serve_report_lost(struct request *request)
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
	/* Disk errors of the server are reported in its log only. */
	snprintf(answer.text, sizeof(answer.text), "%s%s%s", no->text, detailed ? ": " : "",
	         detailed ? request->detail : "");
	return queue_json(connection, request, &answer);
}

enum MHD_Result serve_answer_upload(struct MHD_Connection *connection, struct request *request)
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
 * Check the keys for reading and writing. Both are always compared, so that the time does not
 * depend on the result.
 */
static bool may_read(struct MHD_Connection *connection, const struct serve_options *options)
{
	const char *sent = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
	                                               MHD_HTTP_HEADER_AUTHORIZATION);
	bool reads = upload_may_enter(sent, options->read_key);
	bool writes = options->key && upload_may_enter(sent, options->key);

	return reads || writes;
}

/*
 * Answer `OPTIONS *`, which applies to the server as a whole and not to a path (RFC 9110, 9.3.7).
 */
static enum MHD_Result answer_options(struct MHD_Connection *connection, struct request *request)
{
	const struct upload_answer answer = { .status = MHD_HTTP_NO_CONTENT };
	static char nothing;

	report_request(request, &answer);
	return queue_response(connection, request, answer.status,
	                      MHD_create_response_from_buffer(0, &nothing, MHD_RESPMEM_PERSISTENT));
}

enum MHD_Result serve_answer_file(struct MHD_Connection *connection, struct request *request)
{
	struct fileid id;
	enum download_resource what;
	bool get = strcmp(request->method, MHD_HTTP_METHOD_GET) == 0 ||
	           strcmp(request->method, MHD_HTTP_METHOD_HEAD) == 0;
	enum cairn_status status = download_path_read(request->path, &id, &what);

	if (strcmp(request->path, "*") == 0 &&
	    strcmp(request->method, MHD_HTTP_METHOD_OPTIONS) == 0)
		return answer_options(connection, request);
	/* Check the key before anything that depends on the store's contents. */
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
