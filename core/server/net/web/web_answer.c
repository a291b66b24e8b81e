/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* madvise() */
/* Builds the library's response for an answer. */
#include "web_answer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

struct sent_body {
	char *bytes;
	uint64_t size, released;
	struct client_connection *client;
};

/* Return sent memory to the system, in whole pages. */
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

/* Copy the next piece. The library requests each piece once, after it has sent the previous one. */
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

struct MHD_Response *web_answer_response(struct web_answer *answer,
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
