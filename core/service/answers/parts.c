/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* open_memstream() */
/* Writes bodies of answers, within their bounds. */
#include "parts.h"

#include "output/location.h"

#include <stdio.h>
#include <stdlib.h>

static const char json_type[] = "application/json";

static bool open_body(struct answer_body *body, size_t asked)
{
	body->bytes = NULL;
	body->size = 0;
	FILE *out = open_memstream(&body->bytes, &body->size);

	body->json = json_to(out);
	body->texts = allowance_of(SERVICE_TEXT_LEAST, SERVICE_TEXT_TIMES, asked);
	return out != NULL;
}

bool answer_body_begin(struct answer_body *body, size_t asked, struct service_answer *answer)
{
	if (open_body(body, asked))
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
	const bool good = fclose(body->json.out) == 0 && body->bytes;

	if (good && !body->texts.over) {
		*answer = (struct service_answer){ SERVICE_OK, json_type, body->bytes, body->size,
			                           NULL };
		return;
	}
	free(body->bytes);
	if (good)
		service_refuse(SERVICE_TOO_LARGE,
		               "the names of the answer are too many: send fewer addresses",
		               answer);
	else
		service_refuse(SERVICE_TRY_AGAIN, "out of memory", answer);
}

void answer_outcome(enum query_outcome outcome, struct service_answer *answer)
{
	service_refuse(SERVICE_TRY_AGAIN,
	               outcome == QUERY_LATE
	                       ? "the files of symbols took longer to read than a request may "
	                         "wait: try again"
	                       : "the files of symbols could not be read now: try again",
	               answer);
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
	if (!open_body(&body, 0))
		return;
	json_object(&body.json, NULL);
	json_string(&body.json, "error", why);
	json_end(&body.json);
	if (fclose(body.json.out) == 0) {
		answer->body = body.bytes;
		answer->size = body.size;
	}
}

void service_answer_free(struct service_answer *answer)
{
	free(answer->body);
	answer->body = NULL;
}
