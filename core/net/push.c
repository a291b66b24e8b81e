/* SPDX-License-Identifier: MIT */
#include "push.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct answer_body {
	size_t size;
	uint8_t bytes[PUSH_ANSWER_MAX];
};

static bool begin(void *context)
{
	struct answer_body *body = context;

	body->size = 0;
	return true;
}

static bool take(void *context, unsigned status, struct cairn_bytes piece)
{
	struct answer_body *body = context;

	(void)status;
	if (piece.size > sizeof(body->bytes) - body->size)
		return false;
	memcpy(body->bytes + body->size, piece.data, piece.size);
	body->size += piece.size;
	return true;
}

static void add(struct http_request *request, const char *name, const char *value)
{
	request->headers[request->header_count++] = (struct http_header){ name, value };
}

bool push_part(struct http *http, const char *key, const struct upload *upload,
               struct cairn_bytes bytes, struct push_result *result)
{
	static struct answer_body body; /* too large for a stack; the command line has one thread */
	char id[FILEID_BASE64_SIZE], part[16], parts[16], authorization[UPLOAD_KEY_MAX + 16];
	struct http_request request = { .path = upload_kind_path(upload->kind),
		                        .post = true,
		                        .body = bytes,
		                        .begin = begin,
		                        .take = take,
		                        .context = &body };

	fileid_to_base64(&upload->id, id);
	snprintf(part, sizeof(part), "%" PRIu32, upload->part);
	snprintf(parts, sizeof(parts), "%" PRIu32, upload->parts);
	add(&request, "FileID", id);
	add(&request, "FilePart", part);
	add(&request, "FileParts", parts);
	if (upload->name[0])
		add(&request, "UploadID", upload->name);
	add(&request, "Content-Type", "application/octet-stream");
	if (key) {
		snprintf(authorization, sizeof(authorization), "APIKey %s", key);
		add(&request, "Authorization", authorization);
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
