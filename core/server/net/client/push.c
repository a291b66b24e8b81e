/* SPDX-License-Identifier: MIT */
/* Sends one symbfile part as an HTTP request and parses the server's answer. */
#include "push.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void set_header(struct http_request *request, const char *name, const char *value)
{
	request->headers[request->header_count++] = (struct http_header){ name, value };
}

bool push_part(struct http *http, const struct upload *upload, struct cairn_bytes bytes,
               struct push_result *result)
{
	static struct http_text body; /* too large for the stack; the command line has one thread */
	char id[FILEID_BASE64_SIZE], part[16], parts[16];
	struct http_request request = { .path = upload_kind_path(upload->kind),
		                        .post = true,
		                        .body = bytes,
		                        .begin = http_text_begin,
		                        .take = http_text_take,
		                        .context = &body };

	fileid_to_base64(&upload->id, id);
	snprintf(part, sizeof(part), "%" PRIu32, upload->part);
	snprintf(parts, sizeof(parts), "%" PRIu32, upload->parts);
	set_header(&request, "FileID", id);
	set_header(&request, "FilePart", part);
	set_header(&request, "FileParts", parts);
	if (upload->name[0])
		set_header(&request, "UploadID", upload->name);
	set_header(&request, "Content-Type", "application/octet-stream");
	*result = (struct push_result){ .answered = http_send(http, &request) };
	if (result->answered)
		upload_answer_read(request.status, (struct cairn_bytes){ body.bytes, body.size },
		                   &result->answer);
	else
		snprintf(result->lost, sizeof(result->lost), "%s",
		         request.stopped ? "the answer is too long" : request.lost);
	return result->answered && result->answer.outcome == UPLOAD_OK;
}
