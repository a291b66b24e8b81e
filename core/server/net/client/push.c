/* SPDX-License-Identifier: MIT */
/* Sends one symbfile part as an HTTP request and parses the server's answer. */
#include "push.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct answer_body {
	size_t size;
	uint8_t bytes[PUSH_ANSWER_MAX];
};

static bool begin_answer(void *context)
{
	struct answer_body *body = context;

	body->size = 0;
	return true;
}

static bool append_answer(void *context, unsigned status, struct cairn_bytes piece)
{
	struct answer_body *body = context;

	(void)status;
	if (piece.size > sizeof(body->bytes) - body->size)
		return false;
	memcpy(body->bytes + body->size, piece.data, piece.size);
	body->size += piece.size;
	return true;
}

static void add_header(struct http_request *request, const char *name, const char *value)
{
	request->headers[request->header_count++] = (struct http_header){ name, value };
}

bool push_part(struct http *http, const char *key, const struct upload *upload,
               struct cairn_bytes bytes, struct push_result *result)
{
	static struct answer_body body; /* too large for a stack; the command line has one thread */
	char id[FILEID_BASE64_SIZE], part[16], parts[16], authorization[UPLOAD_AUTHORIZATION_MAX];
	struct http_request request = { .path = upload_kind_path(upload->kind),
		                        .post = true,
		                        .body = bytes,
		                        .begin = begin_answer,
		                        .take = append_answer,
		                        .context = &body };

	fileid_to_base64(&upload->id, id);
	snprintf(part, sizeof(part), "%" PRIu32, upload->part);
	snprintf(parts, sizeof(parts), "%" PRIu32, upload->parts);
	add_header(&request, "FileID", id);
	add_header(&request, "FilePart", part);
	add_header(&request, "FileParts", parts);
	if (upload->name[0])
		add_header(&request, "UploadID", upload->name);
	add_header(&request, "Content-Type", "application/octet-stream");
	if (key) {
		snprintf(authorization, sizeof(authorization), "APIKey %s", key);
		add_header(&request, "Authorization", authorization);
	}
	*result = (struct push_result){ .answered = http_send(http, &request) };
	if (result->answered)
		upload_answer_read(request.status, (struct cairn_bytes){ body.bytes, body.size },
		                   &result->answer);
	else
		snprintf(result->lost, sizeof(result->lost), "%s",
		         request.stopped ? "the answer is too long" : request.lost);
	return result->answered && result->answer.outcome == UPLOAD_OK;
}
