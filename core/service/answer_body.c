/* SPDX-License-Identifier: MIT */
/* Writes response bodies within their size limits. */
#define _GNU_SOURCE /* fopencookie() */
#include "answer_body.h"

#include "output/location.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUFFER = 1 << 15 };

static const char json_type[] = "application/json";
static const char crowded[] = "too many answers wait for their clients: try again";

/* Append bytes to the body. Always returns success, because answer_body_end() reports failures. */
static ssize_t take_bytes(void *context, const char *bytes, size_t size)
{
	struct answer_body *body = context;
	const struct query *query = body->query;

	if (!body->bytes.failed && query && query->hold && !query->hold(query->hold_context, size))
		body->is_crowded = body->bytes.failed = true;
	body->texts.over |= size > SERVICE_ANSWER_MAX - body->bytes.size;
	byte_buffer_bytes(&body->bytes, bytes, size);
	return (ssize_t)size;
}

static bool open_body(struct answer_body *body, size_t asked, const struct query *query)
{
	FILE *out = fopencookie(body, "w", (cookie_io_functions_t){ .write = take_bytes });

	body->bytes = (struct byte_buffer){ .limit = SERVICE_ANSWER_MAX };
	body->query = query;
	body->is_crowded = false;
	body->json = json_to(out);
	body->texts = allowance_of(SERVICE_TEXT_LEAST, SERVICE_TEXT_TIMES, asked);
	if (out)
		(void)setvbuf(out, NULL, _IOFBF, BUFFER);
	return out != NULL;
}

bool answer_body_begin(struct answer_body *body, size_t asked, const struct query *query,
                       struct service_answer *answer)
{
	if (open_body(body, asked, query))
		return true;
	service_refuse(SERVICE_TRY_AGAIN, "out of memory", answer);
	return false;
}

static struct cairn_bytes take_text(struct answer_body *body, struct cairn_bytes text)
{
	if (!allowance_draw(&body->texts, text.size))
		text.size = 0;
	return text;
}

void answer_body_text(struct answer_body *body, const char *key, struct cairn_bytes text)
{
	json_text(&body->json, key, take_text(body, text));
}

void answer_body_end(struct answer_body *body, struct service_answer *answer)
{
	const bool closed = fclose(body->json.out) == 0;

	if (closed && !body->bytes.failed && !body->texts.over) {
		*answer = (struct service_answer){ .status = SERVICE_OK,
			                           .type = json_type,
			                           .body = (char *)body->bytes.data,
			                           .size = body->bytes.size };
		return;
	}
	byte_buffer_finish(&body->bytes);
	if (body->texts.over)
		service_refuse(SERVICE_TOO_LARGE,
		               "the answer has too many names: send fewer addresses", answer);
	else
		service_refuse(SERVICE_TRY_AGAIN, body->is_crowded ? crowded : "out of memory",
		               answer);
}

void answer_outcome(enum query_outcome outcome, struct service_answer *answer)
{
	const char *why = "the symbol files could not be read now: try again";

	if (outcome == QUERY_LATE)
		why = "the symbol files took too long to read: try again";
	service_refuse(SERVICE_TRY_AGAIN, outcome == QUERY_CROWDED ? crowded : why, answer);
}

void answer_body_place(struct answer_body *body, const struct query *query,
                       const struct query_found *found, const struct query_call *call, bool column)
{
	const struct cairn_bytes function = query_text(query, found, call->function),
				 file = query_path(query, found, call, body->path,
	                                           sizeof(body->path));

	if (function.size > 0)
		answer_body_text(body, "function", function);
	json_place(&body->json, take_text(body, file), call->line, column ? call->column : 0);
}

void service_refuse(unsigned status, const char *why, struct service_answer *answer)
{
	struct answer_body body;

	*answer = (struct service_answer){ .status = status, .type = json_type, .why = why };
	if (!open_body(&body, 0, NULL))
		return;
	json_object(&body.json, NULL);
	json_string(&body.json, "error", why);
	json_end(&body.json);
	if (fclose(body.json.out) == 0 && !body.bytes.failed) {
		answer->body = (char *)body.bytes.data;
		answer->size = body.bytes.size;
	} else {
		byte_buffer_finish(&body.bytes);
	}
}

void service_answer_free(struct service_answer *answer)
{
	free(answer->body);
	answer->body = NULL;
}
