/* SPDX-License-Identifier: MIT */
/* Forwards named profiles to the next collector, and returns its response to the client. */
#include "serve.h"

#include "server/net/client/http.h"

#include <stdlib.h>
#include <string.h>

enum { ANSWER_MAX = 1 << 16 };

struct taken {
	char *bytes;
	size_t size;
};

static bool take_piece(void *context, unsigned status, struct cairn_bytes piece)
{
	struct taken *taken = context;
	char *grown;

	(void)status;
	if (piece.size > ANSWER_MAX - taken->size ||
	    !(grown = realloc(taken->bytes, taken->size + piece.size + 1)))
		return false;
	memcpy(grown + taken->size, piece.data, piece.size);
	taken->bytes = grown;
	taken->size += piece.size;
	return true;
}

static bool begin_taking(void *context)
{
	((struct taken *)context)->size = 0;
	return true;
}

static void send_profile(struct http *http, bool is_json, struct service_answer *answer)
{
	struct taken taken = { NULL, 0 };
	struct http_request request = { .path = "/v1development/profiles",
		                        .headers = { { "Content-Type",
		                                       is_json ? "application/json"
		                                               : "application/x-protobuf" },
		                                     { "Expect", "" } },
		                        .header_count = 2,
		                        .post = true,
		                        .body = { (const uint8_t *)answer->body, answer->size },
		                        .begin = begin_taking,
		                        .take = take_piece,
		                        .context = &taken };
	const bool sent = http_send(http, &request);

	service_answer_free(answer);
	if (sent && request.status < 500 && request.status != 429) {
		answer->status = request.status;
		answer->body = taken.bytes;
		answer->size = taken.size;
		return;
	}
	free(taken.bytes);
	service_profiles_refuse(is_json, SERVICE_TRY_AGAIN,
	                        "the next collector did not take the profile: try again", answer);
}

void serve_forward(struct service *service, bool is_json, struct service_answer *answer)
{
	const struct http_options options = { .url = service->forward,
		                              .retries = 0,
		                              .backoff = HTTP_BACKOFF,
		                              .seconds = service->seconds };
	char message[HTTP_MESSAGE_MAX];
	struct http *http;

	if (http_open(&options, &http, message)) {
		send_profile(http, is_json, answer);
		http_close(http);
		return;
	}
	service_answer_free(answer);
	service_profiles_refuse(is_json, SERVICE_TRY_AGAIN, "out of memory", answer);
}
