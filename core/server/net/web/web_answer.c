/* SPDX-License-Identifier: MIT */
/* Makes the library's response of an answer. */
#include "web_answer.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct MHD_Response *web_answer_response(struct web_answer *answer)
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
		response = MHD_create_response_from_buffer(answer->size, answer->body,
		                                           MHD_RESPMEM_MUST_FREE);
		if (!response)
			free(answer->body);
	}
	if (response)
		add_headers(response, answer);
	return response;
}
